#include <cstdlib>

#include "experiments/workloads/SobelFilter/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::SobelFilter {

constexpr std::int64_t kWide = 16, kHigh = 4, kTileWords = 80;
/// Below 1, so that not every edge in the noise is white.
constexpr float kScale = 0.5f;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"width", "pixel", {336, 1280, 5120, 10240}, 1 << 14, "Width of the image; 512 in the suite.", 4},
    {"height", "pixel", {18, 1024, 4608, 8192}, 1 << 14, "Height of the image; 512 in the suite."},
}};

class SobelFilter : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(SobelFilter, SobelFilter)

    void run(Device& device) override {
        XorShift32 random(seed());
        from_.resize(width_ * height_);
        // Squares of uniform brightness, with noise.
        for (std::int64_t i = 0; i < width_ * height_; ++i) {
            const std::int64_t square = i % width_ / 32 * 7 + i / width_ / 32 * 13;
            from_[i] = static_cast<std::uint8_t>(square % 5 * 48 + random.next() % 32);
        }
        const DeviceAddress from = device.upload(from_), to = device.allocate(from_.size());
        device.launch("sobel_shared",
                      {{blocks_for(width_, 4 * kTileWords), blocks_for(height_, kHigh)}, {kWide, kHigh}},
                      pack_parameters(to, from, s32(width_), s32(height_), kScale));
        to_ = device.download<std::uint8_t>(to, from_.size());
    }

    CheckReport check() const override {
        std::vector<std::uint8_t> expected;
        expected.reserve(from_.size());
        for (std::int64_t y = 0; y < height_; ++y) {
            for (std::int64_t x = 0; x < width_; ++x) {
                int across = 0, along = 0;
                for (int side = -1; side <= 1; ++side) {
                    const int weight = side == 0 ? 2 : 1;
                    across += weight * (at(x + 1, y + side) - at(x - 1, y + side));
                    along += weight * (at(x + side, y - 1) - at(x + side, y + 1));
                }
                const float sum = kScale * static_cast<float>(std::abs(across) + std::abs(along));
                expected.push_back(static_cast<std::uint8_t>(std::min(static_cast<int>(sum), 255)));
            }
        }
        return compare_exact("pixel", to_, expected);
    }

  private:
    int at(std::int64_t x, std::int64_t y) const {
        return from_[std::clamp<std::int64_t>(y, 0, height_ - 1) * width_ + std::clamp<std::int64_t>(x, 0, width_ - 1)];
    }

    const std::int64_t width_ = value(0), height_ = value(1);
    std::vector<std::uint8_t> from_, to_;
};

LOOKAHEAD_REGISTER_WORKLOAD(SobelFilter, SobelFilter)

}  // namespace lookahead::workloads::SobelFilter
