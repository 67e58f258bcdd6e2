#include <fmt/format.h>

#include "experiments/workloads/dwt2d/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::dwt2d {

constexpr std::int64_t kComponents = 3, kRows = 8, kMostSteps = 15, kThreads = 256;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"width", "pixel", {72, 512, 1600, 4096}, 1 << 13, "Width of the image; 192 or 1024 in the suite.", 8},
    {"height", "pixel", {48, 512, 1600, 4096}, 1 << 13, "Height of the image; 192 or 1024 in the suite.", 8},
    {"levels", "level", {2, 3, 3, 3}, 3, "Levels; each halves the image."},
}};

class Dwt2d : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Dwt2d, dwt2d)

    void run(Device& device) override {
        make_image();
        const DeviceAddress pixels = device.upload(pixels_);
        const std::int64_t count = width_ * height_;
        std::array<DeviceAddress, kComponents> planes{}, bands{};
        for (std::size_t c = 0; c < kComponents; ++c) {
            planes[c] = device.allocate(count * sizeof(std::int32_t));
            bands[c] = device.allocate(count * sizeof(std::int32_t));
        }
        device.launch("dwt_components", {{blocks_for(count, kThreads)}, {kThreads}},
                      pack_parameters(planes[0], planes[1], planes[2], pixels, s32(count)));
        const DeviceAddress spare = device.allocate(count / 4 * sizeof(std::int32_t));
        for (std::size_t c = 0; c < kComponents; ++c) {
            transform(device, planes[c], spare, bands[c]);
            bands_[c] = device.download<std::int32_t>(bands[c], count);
        }
    }

    CheckReport check() const override {
        std::vector<CheckReport> reports;
        for (std::int64_t c = 0; c < kComponents; ++c) {
            std::vector<std::int32_t> plane;
            for (std::size_t i = c; i < pixels_.size(); i += kComponents) { plane.push_back(pixels_[i] - 128); }
            for (std::int64_t level = 0; level < levels_; ++level) {
                const std::int64_t width = width_ >> level, height = height_ >> level;
                for (std::int64_t y = 0; y < height; ++y) { lift(plane, y * width_, 1, width); }
                for (std::int64_t x = 0; x < width; ++x) { lift(plane, x, width_, height); }
            }
            reports.push_back(compare_exact(fmt::format("component {}", c), bands_[c], plane));
        }
        return all_of(reports);
    }

  private:
    /// Smooth shades, edges and noise.
    void make_image() {
        XorShift32 random(seed());
        pixels_.clear();
        for (std::int64_t i = 0; i < width_ * height_; ++i) {
            const std::int64_t x = i % width_, y = i / width_;
            for (std::int64_t c = 0; c < kComponents; ++c) {
                const std::int64_t shade = (x + y * (c + 1)) / 4 + (x / 40 + y / 24) % 2 * 100;
                pixels_.push_back(static_cast<std::uint8_t>(shade % 240 + random.next() % 16));
            }
        }
    }

    /// Transforms all levels of one component. A level's low band is the next level's image; the last one goes to
    /// `bands`. Overwrites the component's plane.
    void transform(Device& device, DeviceAddress plane, DeviceAddress spare, DeviceAddress bands) const {
        const auto pitch = s32(width_);
        DeviceAddress from = plane, to = spare;
        auto from_pitch = pitch;
        for (std::int64_t level = 0; level < levels_; ++level) {
            const std::int64_t width = width_ >> level, height = height_ >> level;
            const bool is_last = level + 1 == levels_;
            const DeviceAddress low = is_last ? bands : to;
            const auto low_pitch = is_last ? pitch : s32(width / 2);
            // As in the suite: wider blocks for wider images; up to 15 steps per block.
            const std::int64_t threads = width >= 960 ? 192 : width >= 480 ? 128 : 64;
            const std::int64_t steps = std::min(kMostSteps, (height + kRows - 1) / kRows);
            device.launch(
                fmt::format("dwt53_{}", threads),
                {{blocks_for(width, threads), blocks_for(height, kRows * steps)}, {u32(threads)}},
                pack_parameters(low, low_pitch, bands, pitch, from, from_pitch, s32(width), s32(height), s32(steps)));
            to = from;
            from = low;
            from_pitch = low_pitch;
        }
    }

    /// Transforms a line of samples, mirrored at its ends, into its low half followed by its high half.
    static void lift(std::vector<std::int32_t>& plane, std::int64_t first, std::int64_t stride, std::int64_t length) {
        std::vector<std::int32_t> line(length);
        for (std::int64_t i = 0; i < length; ++i) { line[i] = plane[first + i * stride]; }
        const auto at = [&](std::int64_t i) { return line[i < 0 ? -i : i < length ? i : 2 * (length - 1) - i]; };
        for (std::int64_t i = 1; i < length; i += 2) { line[i] -= (at(i - 1) + at(i + 1)) >> 1; }
        for (std::int64_t i = 0; i < length; i += 2) { line[i] += (at(i - 1) + at(i + 1) + 2) >> 2; }
        for (std::int64_t i = 0; i < length; ++i) { plane[first + (i / 2 + i % 2 * (length / 2)) * stride] = line[i]; }
    }

    const std::int64_t width_ = value(0), height_ = value(1), levels_ = value(2);
    std::vector<std::uint8_t> pixels_;
    std::array<std::vector<std::int32_t>, kComponents> bands_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Dwt2d, dwt2d)

}  // namespace lookahead::workloads::dwt2d
