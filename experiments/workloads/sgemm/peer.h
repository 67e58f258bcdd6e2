#pragma once

#include "experiments/workloads/sgemm/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::sgemm {

/// The kernel and the inputs of the published comparison with GPGPU-Sim.
class SgemmPeer : public Workload {
  public:
    explicit SgemmPeer(const WorkloadContext& context)
        : n_(context.size == Size::medium ? 256 : 128), seed_(input_seed("sgemm", "peer", context)) {}

    ProgramCode code() const override { return LOOKAHEAD_CODE(sgemm, Peer); }

    void run(Device& device) override {
        XorShift32 random(seed_);
        a_ = random.floats(n_ * n_);
        b_ = random.floats(n_ * n_);

        const DeviceAddress a = device.upload(a_);
        const DeviceAddress b = device.upload(b_);
        const DeviceAddress c = device.allocate(n_ * n_ * sizeof(float));
        const auto tiles = u32(n_ / kTile);
        device.launch("sgemm", {{tiles, tiles}, {kTile, kTile}}, pack_parameters(a, b, c, s32(n_)));
        c_ = device.download<float>(c, n_ * n_);
    }

    CheckReport check() const override { return compare_close("C", c_, product(a_, b_, n_, n_, n_), kTolerance); }

  private:
    static constexpr std::int64_t kTile = 16;
    /// Error of a dot product of n terms in [0, 1) in single precision, relative to its double-precision value.
    static constexpr double kTolerance = 1e-5;

    std::int64_t n_;
    std::uint32_t seed_;
    std::vector<float> a_, b_, c_;
};

}  // namespace lookahead::workloads::sgemm
