#include "experiments/workloads/convolutionSeparable/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::convolutionSeparable {

constexpr std::int64_t kRadius = 8, kTaps = 2 * kRadius + 1, kSteps = 8;
constexpr std::int64_t kRowsX = 16, kRowsY = 4, kColumnsX = 16, kColumnsY = 8;
/// Relative to the sum of a filter's taps, about 1.
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"width", "pixel", {128, 1024, 3072, 6144}, 1 << 14, "Width of the image.", kSteps* kRowsX},
    {"height", "pixel", {64, 1024, 3072, 6144}, 1 << 14, "Height of the image.", kSteps* kColumnsY},
    {"rounds", "round", {1, 1, 1, 1}, 1 << 10, "Convolutions of the same image."},
}};

class ConvolutionSeparable : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(ConvolutionSeparable, convolutionSeparable)

    void run(Device& device) override {
        XorShift32 random(seed());
        filter_ = random.floats(kTaps, 0.0f, 2.0f / kTaps);
        image_ = random.floats(width_ * height_);

        device.copy_values(device.variable("convolution_filter"), filter_);
        const DeviceAddress image = device.upload(image_);
        const DeviceAddress rows = device.allocate(image_.size() * sizeof(float));
        const DeviceAddress out = device.allocate(image_.size() * sizeof(float));
        const auto width = s32(width_), height = s32(height_);
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch("convolution_rows",
                          {{blocks_for(width_, kSteps * kRowsX), blocks_for(height_, kRowsY)}, {kRowsX, kRowsY}},
                          pack_parameters(rows, image, width, height, width));
            device.launch(
                "convolution_columns",
                {{blocks_for(width_, kColumnsX), blocks_for(height_, kSteps * kColumnsY)}, {kColumnsX, kColumnsY}},
                pack_parameters(out, rows, width, height, width));
        }
        out_ = device.download<float>(out, image_.size());
    }

    CheckReport check() const override {
        const std::vector<double> rows = convolve({image_.begin(), image_.end()}, 1, 0);
        return compare_close("pixel", out_, convolve(rows, 0, 1), kTolerance);
    }

  private:
    /// Convolves along the direction (dx, dy); the outside of the image is zero.
    std::vector<double> convolve(const std::vector<double>& from, std::int64_t dx, std::int64_t dy) const {
        std::vector<double> to(from.size(), 0.0);
        for (std::int64_t y = 0; y < height_; ++y) {
            for (std::int64_t x = 0; x < width_; ++x) {
                for (std::int64_t j = -kRadius; j <= kRadius; ++j) {
                    const std::int64_t at_x = x + j * dx, at_y = y + j * dy;
                    if (at_x < 0 || at_x >= width_ || at_y < 0 || at_y >= height_) { continue; }
                    to[y * width_ + x] += double{filter_[kRadius - j]} * from[at_y * width_ + at_x];
                }
            }
        }
        return to;
    }

    const std::int64_t width_ = value(0), height_ = value(1), rounds_ = value(2);
    std::vector<float> filter_, image_, out_;
};

LOOKAHEAD_REGISTER_WORKLOAD(ConvolutionSeparable, convolutionSeparable)

}  // namespace lookahead::workloads::convolutionSeparable
