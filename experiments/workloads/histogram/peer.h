#pragma once

#include "experiments/workloads/histogram/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::histogram {

/// The kernel and the inputs of the published comparison with GPGPU-Sim.
class HistogramPeer : public Workload {
  public:
    explicit HistogramPeer(const WorkloadContext& context)
        : n_(context.size == Size::medium ? 1 << 19 : 1 << 17),
          blocks_(context.size == Size::medium ? 240 : 60),
          seed_(input_seed("histogram", "peer", context)) {}

    ProgramCode code() const override { return LOOKAHEAD_CODE(histogram, Peer); }

    void run(Device& device) override {
        in_ = XorShift32(seed_).words(n_);

        const DeviceAddress in = device.upload(in_);
        const DeviceAddress bins = zeros(device, kBins * sizeof(std::uint32_t));
        device.launch("histogram", {{u32(blocks_)}, {kBins}}, pack_parameters(in, bins, s32(n_)));
        bins_ = device.download<std::uint32_t>(bins, kBins);
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> expected(kBins, 0);
        for (const std::uint32_t value : in_) { ++expected[value % kBins]; }
        return compare_exact("bins", bins_, expected);
    }

  private:
    static constexpr std::uint32_t kBins = 256;

    std::int64_t n_, blocks_;
    std::uint32_t seed_;
    std::vector<std::uint32_t> in_, bins_;
};

}  // namespace lookahead::workloads::histogram
