#include <limits>

#include "core/error/error.h"
#include "experiments/workloads/forms.h"
#include "experiments/workloads/histo/files.h"

namespace lookahead::workloads::histo {

constexpr std::uint32_t kThreads = 512, kBlocks = 14, kFinalBlocks = 3 * kBlocks;
constexpr std::int64_t kRangeBins = 24 * 1024, kLines = 16, kSampled = 8, kHotBins = 6;

constexpr std::array<SizedParameter, 6> kParameters{{
    {"width", "pixel", {129, 996, 996, 996}, 1024, "Width of the image; 996 in the suite."},
    {"height", "pixel", {384, 528, 1040, 1040}, 1 << 14, "Height of the image; 1040 in the suite.", kLines},
    {"bins", "bin", {8 * kRangeBins, 16 * kRangeBins, 1 << 20, 1 << 20}, 1 << 22, "Bins; 1048576 in the suite.", 4},
    {"images", "image", {2, 1, 6, 20}, 1 << 16, "Repetitions of the whole; 20 in the suite."},
    {"sampling", "CTA", {4, 32, 64, 64}, 1 << 10, "Blocks that estimate the range; 64 in the suite."},
    {"hot", "percent", {60, 12, 12, 12}, 100, "Share of pixels in six bins, which overflow."},
}};

class Histo : public SizedWorkload<kParameters, kLoopedAndVectorFormTo8> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Histo, histo)

    void run(Device& device) override {
        if (size_ / sampling_ / kSampled < kThreads) {
            throw ConfigurationError(
                "histo: of {} pixels, {} blocks would sample less than one per thread: at least {} are needed.", size_,
                sampling_, sampling_ * kSampled * kThreads);
        }
        if (bins_ < 2 * kRangeBins) {
            throw ConfigurationError("histo: {} bins are less than two ranges of {}.", bins_, kRangeBins);
        }
        make_image();
        const auto width = u32(width_), height = u32(height_);
        const auto pitch = u32((width_ + 1) / 2), size = u32(size_);
        const auto bins = u32(bins_);

        // Rows begin at pairs. The estimate reads them as one array, so with an odd width it sees the gaps.
        const DeviceAddress input = device.upload(padded());
        const DeviceAddress ranges = device.allocate(2 * sizeof(std::uint32_t));
        const DeviceAddress places = device.allocate(size_ * sizeof(std::uint32_t));
        const std::uint64_t partial_bytes = bins_ * kBlocks;
        const DeviceAddress partial = device.allocate(partial_bytes);
        const DeviceAddress outside = zeros(device, bins_ * sizeof(std::uint16_t));
        const DeviceAddress overflow = zeros(device, bins_ * sizeof(std::uint32_t));
        const DeviceAddress histogram = zeros(device, bins_);
        for (std::int64_t i = 0; i < images_; ++i) {
            const std::uint32_t none[2] = {std::numeric_limits<std::uint32_t>::max(), 0};
            device.copy_values(ranges, none);
            device.launch("histo_prescan", {{u32(sampling_)}, {kThreads}}, pack_parameters(input, s32(size_), ranges));
            const auto found = device.download<std::uint32_t>(ranges, 2);
            // A last, partial range of bins is excluded.
            const std::uint32_t first = found[0], last = std::min(found[1], u32(bins_ / kRangeBins) - 1);
            device.fill(partial, std::byte{0}, partial_bytes);
            device.launch("histo_places", {{u32(height_ / kLines)}, {pitch}},
                          pack_parameters(input, height, width, pitch, places));
            device.launch(main_, {{kBlocks, last - first + 1}, {kThreads}},
                          pack_parameters(places, size, first, last, bins, partial, outside, overflow));
            device.launch(final_, {{kFinalBlocks}, {kThreads}},
                          pack_parameters(first, last, bins, partial, outside, overflow, histogram));
        }
        histogram_ = device.download<std::uint8_t>(histogram, bins_);
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> counts(bins_, 0);
        for (const std::uint32_t bin : image_) { ++counts[bin]; }
        std::vector<std::uint8_t> expected;
        for (const std::uint32_t count : counts) {
            expected.push_back(static_cast<std::uint8_t>(std::min(count, 255u)));
        }
        return compare_exact("bin", histogram_, expected);
    }

  private:
    /// Most pixels fall near the middle bins, many of them into a few neighbouring bins; some are anywhere.
    void make_image() {
        XorShift32 random(seed());
        const auto bins = u32(bins_);
        image_.resize(size_);
        for (std::uint32_t& pixel : image_) {
            if (random.next() % 100 < u32(hot_)) {
                pixel = bins / 2 + random.next() % u32(kHotBins);
            } else if (random.next() % 256 == 0) {
                pixel = random.next() % bins;
            } else {
                // A sum of four uniform numbers: nearly normal, with a deviation of a quarter of the range.
                std::uint32_t sum = 0;
                for (int i = 0; i < 4; ++i) { sum += random.next() % u32(kSpread); }
                pixel = bins / 2 - 2 * u32(kSpread) + sum;
            }
        }
    }

    std::vector<std::uint32_t> padded() const {
        const std::int64_t even = (width_ + 1) / 2 * 2;
        std::vector<std::uint32_t> lines(even * height_, u32(bins_ / 2));
        for (std::int64_t y = 0; y < height_; ++y) { std::copy_n(&image_[y * width_], width_, &lines[y * even]); }
        return lines;
    }

    static constexpr std::int64_t kSpread = kRangeBins * 2 / 5;

    const std::int64_t width_ = value(0), height_ = value(1), bins_ = value(2), images_ = value(3),
                       sampling_ = value(4);
    const std::int64_t hot_ = value(5), size_ = width_ * height_;
    const std::string main_ = kernel_of_form("histo_main", word(0), word(1), word(2));
    const std::string final_ = kernel_of_form("histo_final", word(0), word(1), word(2));
    std::vector<std::uint32_t> image_;
    std::vector<std::uint8_t> histogram_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Histo, histo)

}  // namespace lookahead::workloads::histo
