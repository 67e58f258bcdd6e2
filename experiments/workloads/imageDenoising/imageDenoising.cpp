#include "components/isa/texture_descriptor.h"
#include "experiments/workloads/imageDenoising/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::imageDenoising {

constexpr std::uint32_t kTile = 8;
constexpr int kRadius = 3;
constexpr double kArea = 49.0;
constexpr float kNearestNoise = 0.32f, kMeansNoise = 1.45f;  ///< the suite's
constexpr float kOwn = 0.2f;
/// Bytes are truncated and may be one less; the hardware exponential gives colours a relative error of 1e-5.
constexpr double kCut = 1.0, kSlack = 0.01, kScale = 255.0;
/// Weights relatively this near to a threshold may count or not.
constexpr double kNear = 1e-4;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"width", "pixel", {12, 36, 180, 320}, 1 << 13, "Width of the image; 320 in the suite."},
    {"height", "pixel", {9, 28, 148, 240}, 1 << 13, "Height of the image; 240 in the suite."},
}};

class ImageDenoising : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(ImageDenoising, imageDenoising)

    void run(Device& device) override {
        XorShift32 random(seed());
        image_.assign(width_ * height_, 0);
        // Squares of uniform colour, with noise.
        for (std::int64_t i = 0; i < width_ * height_; ++i) {
            const std::int64_t square = i % width_ / 16 * 7 + i / width_ / 16 * 13;
            for (int channel = 0; channel < 3; ++channel) {
                const std::uint32_t colour = u32((square + channel) % 5) * 48 + random.next() % 48;
                image_[i] |= colour << 8 * channel;
            }
        }
        isa::TextureDescriptor texture;
        texture.base = device.upload(image_);
        texture.width = u32(width_);
        texture.height = u32(height_);
        texture.row_pitch = u32(width_ * 4);
        texture.slice_pitch = texture.row_pitch * height_;
        texture.channels = 4;
        texture.channel_bytes = 1;
        texture.kind = isa::ChannelKind::unsigned_integer;
        texture.normalised_values = 1;
        const DeviceAddress object = device.upload(std::vector{texture});
        const DeviceAddress to = device.allocate(image_.size() * sizeof(std::uint32_t));
        const LaunchConfiguration shape{{blocks_for(width_, kTile), blocks_for(height_, kTile)}, {kTile, kTile}};
        const auto width = s32(width_), height = s32(height_);
        device.launch("denoise_nearest", shape,
                      pack_parameters(to, object, width, height, 1 / (kNearestNoise * kNearestNoise), kOwn));
        nearest_ = device.download<std::uint32_t>(to, image_.size());
        device.launch("denoise_means", shape,
                      pack_parameters(to, object, width, height, 1 / (kMeansNoise * kMeansNoise), kOwn));
        means_ = device.download<std::uint32_t>(to, image_.size());
    }

    CheckReport check() const override {
        return all_of({check_filter("nearest", nearest_, kNearestNoise, 0, 0.02, 0.79),
                       check_filter("means", means_, kMeansNoise, kRadius, 0.10, 0.10)});
    }

  private:
    using Colour = std::array<double, 3>;

    Colour at(std::int64_t x, std::int64_t y) const {
        const std::uint32_t pixel =
            image_[std::clamp<std::int64_t>(y, 0, height_ - 1) * width_ + std::clamp<std::int64_t>(x, 0, width_ - 1)];
        return {(pixel & 0xFF) / 255.0, (pixel >> 8 & 0xFF) / 255.0, (pixel >> 16 & 0xFF) / 255.0};
    }

    double difference(std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1) const {
        const Colour a = at(x0, y0), b = at(x1, y1);
        double sum = 0;
        for (int i = 0; i < 3; ++i) { sum += (a[i] - b[i]) * (a[i] - b[i]); }
        return sum;
    }

    /// Weights compare the windows of `radius` around two pixels.
    CheckReport check_filter(std::string_view what, const std::vector<std::uint32_t>& got, double noise, int radius,
                             double weight_threshold, double part_threshold) const {
        std::vector<float> channels;
        std::vector<double> expected;
        for (std::int64_t i = 0; i < width_ * height_; ++i) {
            const std::int64_t x = i % width_, y = i / width_;
            Colour mean{};
            double weights = 0;
            int surely = 0, perhaps = 0;  // pixels of the window over the threshold
            for (int dy = -kRadius; dy <= kRadius; ++dy) {
                for (int dx = -kRadius; dx <= kRadius; ++dx) {
                    double unlike = 0;
                    for (int n = -radius; n <= radius; ++n) {
                        for (int m = -radius; m <= radius; ++m) {
                            unlike += difference(x + dx + m, y + dy + n, x + m, y + n);
                        }
                    }
                    const double weight = std::exp(-(unlike / (noise * noise) + (dx * dx + dy * dy) / kArea));
                    const Colour there = at(x + dx, y + dy);
                    for (int c = 0; c < 3; ++c) { mean[c] += there[c] * weight; }
                    weights += weight;
                    surely += weight > weight_threshold * (1 + kNear);
                    perhaps += weight > weight_threshold * (1 - kNear);
                }
            }
            for (int c = 0; c < 3; ++c) {
                channels.push_back(static_cast<float>(got[i] >> 8 * c & 0xFF));
                const auto blended = [&](int count) {
                    const double own = count / kArea > part_threshold ? kOwn : 1.0 - kOwn;
                    return 255 * (mean[c] / weights * (1 - own) + at(x, y)[c] * own) - kCut / 2;
                };
                const double low = blended(surely), high = blended(perhaps);
                expected.push_back(std::abs(channels.back() - low) < std::abs(channels.back() - high) ? low : high);
            }
        }
        return compare_close(what, channels, expected, (kCut / 2 + kSlack) / kScale, kScale);
    }

    const std::int64_t width_ = value(0), height_ = value(1);
    std::vector<std::uint32_t> image_, nearest_, means_;
};

LOOKAHEAD_REGISTER_WORKLOAD(ImageDenoising, imageDenoising)

}  // namespace lookahead::workloads::imageDenoising
