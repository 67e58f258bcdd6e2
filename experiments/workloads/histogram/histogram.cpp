#include "experiments/workloads/histogram/files.h"
#include "experiments/workloads/histogram/peer.h"
#include "experiments/workloads/peer.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::histogram {

constexpr std::uint32_t kBins = 256, kThreads = 192, kMergeThreads = 256;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"words", "word", {3000, 5 << 18, 5 << 23, 1 << 27}, 1 << 28, "Words of four bytes to count."},
    {"blocks", "CTA", {8, 240, 240, 240}, 65535, "Thread blocks that count; 240 in the suite."},
}};

class Histogram : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Histogram, histogram)

    void run(Device& device) override {
        data_ = XorShift32(seed()).words(words_);

        const DeviceAddress data = device.upload(data_);
        const DeviceAddress partial = device.allocate(blocks_ * kBins * sizeof(std::uint32_t));
        const DeviceAddress bins = device.allocate(kBins * sizeof(std::uint32_t));
        const auto blocks = u32(blocks_);
        device.launch("histogram_partial", {{blocks}, {kThreads}}, pack_parameters(partial, data, u32(words_)));
        device.launch("histogram_merge", {{kBins}, {kMergeThreads}}, pack_parameters(bins, partial, blocks));
        bins_ = device.download<std::uint32_t>(bins, kBins);
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> expected(kBins, 0);
        for (const std::uint32_t word : data_) {
            for (unsigned shift = 0; shift < 32; shift += 8) { ++expected[word >> shift & 0xFF]; }
        }
        return compare_exact("bins", bins_, expected);
    }

  private:
    const std::int64_t words_ = value(0), blocks_ = value(1);
    std::vector<std::uint32_t> data_, bins_;
};

using HistogramOrPeer = WithPeer<Histogram, HistogramPeer>;

LOOKAHEAD_REGISTER_WORKLOAD(HistogramOrPeer, histogram)

}  // namespace lookahead::workloads::histogram
