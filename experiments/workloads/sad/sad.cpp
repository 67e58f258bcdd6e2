#include <cstdlib>

#include <fmt/format.h>

#include "experiments/workloads/sad/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::sad {

constexpr std::int64_t kRange = 16, kSide = 2 * kRange + 1, kPositions = kSide * kSide, kPadded = 1096, kThreads = 61;
constexpr std::int64_t kMacroblock = 16;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"width", "pixel", {16, 96, 352, 704}, 1920, "Width of a frame; 176 in the suite.", kMacroblock},
    {"height", "pixel", {16, 80, 288, 576}, 1920, "Height of a frame; 144 in the suite.", kMacroblock},
}};

struct Shape {
    const char* name;
    std::int64_t width, height;

    constexpr std::int64_t blocks() const { return kMacroblock / width * (kMacroblock / height); }
};

constexpr std::array<Shape, 7> kShapes{
    {{"4x4", 4, 4}, {"8x4", 8, 4}, {"4x8", 4, 8}, {"8x8", 8, 8}, {"16x8", 16, 8}, {"8x16", 8, 16}, {"16x16", 16, 16}}};

class Sad : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Sad, sad)

    void run(Device& device) override {
        make_frames();
        const DeviceAddress frame = device.upload(frame_), reference = device.upload(reference_);
        std::array<DeviceAddress, kShapes.size()> sads{};
        for (std::size_t s = 0; s < kShapes.size(); ++s) {
            sads[s] = device.allocate(macroblocks_ * kShapes[s].blocks() * kPadded * sizeof(std::uint16_t));
        }
        const auto across = u32(width_ / kMacroblock);
        const auto down = u32(height_ / kMacroblock);
        device.launch("sad_4x4", {{4 * across, 4 * down}, {kThreads}},
                      pack_parameters(sads[0], frame, reference, s32(width_), s32(height_)));
        device.launch("sad_8x8", {{across, down}, {32, 4}}, pack_parameters(sads[0], sads[1], sads[2], sads[3]));
        device.launch("sad_16x16", {{across, down}, {32}}, pack_parameters(sads[3], sads[4], sads[5], sads[6]));
        for (std::size_t s = 0; s < kShapes.size(); ++s) {
            sads_[s] = device.download<std::uint16_t>(sads[s], macroblocks_ * kShapes[s].blocks() * kPadded);
        }
    }

    CheckReport check() const override {
        std::vector<CheckReport> reports;
        for (std::size_t s = 0; s < kShapes.size(); ++s) {
            const std::vector<std::int32_t> got(sads_[s].begin(), sads_[s].end());
            reports.push_back(compare_exact(fmt::format("SAD {}", kShapes[s].name), got, expected(kShapes[s])));
        }
        return all_of(reports);
    }

  private:
    /// The frame is the reference shifted by a few pixels, with noise.
    void make_frames() {
        XorShift32 random(seed());
        reference_.resize(width_ * height_);
        frame_.clear();
        for (std::uint16_t& pixel : reference_) { pixel = static_cast<std::uint16_t>(random.next() % 256); }
        for (std::int64_t y = 0; y < height_; ++y) {
            for (std::int64_t x = 0; x < width_; ++x) {
                frame_.push_back(static_cast<std::uint16_t>(std::min(pixel(x + 3, y - 2) + random.next() % 8, 255u)));
            }
        }
    }

    std::uint16_t pixel(std::int64_t x, std::int64_t y) const {
        return reference_[std::clamp<std::int64_t>(y, 0, height_ - 1) * width_ +
                          std::clamp<std::int64_t>(x, 0, width_ - 1)];
    }

    std::int32_t difference(std::int64_t left, std::int64_t top, const Shape& shape, std::int64_t position) const {
        std::int32_t sum = 0;
        for (std::int64_t y = top; y < top + shape.height; ++y) {
            for (std::int64_t x = left; x < left + shape.width; ++x) {
                const std::uint16_t there = pixel(x + position % kSide - kRange, y + position / kSide - kRange);
                sum += std::abs(there - frame_[y * width_ + x]);
            }
        }
        return sum;
    }

    /// Ordered by macroblock; in it by quarter if blocks are smaller than a quarter, except blocks of 4 x 4; then by
    /// row.
    std::vector<std::int32_t> expected(const Shape& shape) const {
        const bool by_quarter = shape.width * shape.height == 32;
        const std::int64_t region = by_quarter ? 8 : kMacroblock;
        std::vector<std::int32_t> sads;
        for (std::int64_t m = 0; m < macroblocks_; ++m) {
            const std::int64_t left = m % (width_ / kMacroblock) * kMacroblock;
            const std::int64_t top = m / (width_ / kMacroblock) * kMacroblock;
            for (std::int64_t r = 0; r < kMacroblock * kMacroblock; r += region * region) {
                const std::int64_t x0 = left + r / (region * region) % 2 * region,
                                   y0 = top + r / (region * region) / 2 * region;
                for (std::int64_t y = y0; y < y0 + region; y += shape.height) {
                    for (std::int64_t x = x0; x < x0 + region; x += shape.width) {
                        for (std::int64_t p = 0; p < kPositions; ++p) { sads.push_back(difference(x, y, shape, p)); }
                        sads.resize(sads.size() + kPadded - kPositions, 0);
                    }
                }
            }
        }
        return sads;
    }

    const std::int64_t width_ = value(0), height_ = value(1);
    const std::int64_t macroblocks_ = width_ * height_ / (kMacroblock * kMacroblock);
    std::vector<std::uint16_t> reference_, frame_;
    std::array<std::vector<std::uint16_t>, kShapes.size()> sads_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Sad, sad)

}  // namespace lookahead::workloads::sad
