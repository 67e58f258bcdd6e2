#include "experiments/workloads/FDTD3d/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::FDTD3d {

constexpr std::int64_t kRadius = 4, kBlockX = 32, kBlockY = 16;
constexpr float kWeights[kRadius + 1] = {0.1f, 0.08f, 0.04f, 0.02f, 0.01f};
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"nx", "point", {32, 96, 256, 384}, 1024, "Points in x.", kBlockX},
    {"ny", "point", {16, 96, 256, 384}, 1024, "Points in y.", kBlockY},
    {"nz", "point", {5, 96, 192, 384}, 1024, "Points in z."},
    {"steps", "step", {2, 1, 1, 5}, 1 << 10, "Steps, one launch each; 5 in the suite."},
}};

class Fdtd3d : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Fdtd3d, FDTD3d)

    void run(Device& device) override {
        before_ = XorShift32(seed()).floats(row_ * (ny_ + 2 * kRadius) * (nz_ + 2 * kRadius));
        device.copy_values(device.variable("fdtd_weights"), kWeights);
        DeviceAddress from = device.upload(before_), to = device.upload(before_);
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("fdtd3d", {{blocks_for(nx_, kBlockX), blocks_for(ny_, kBlockY)}, {kBlockX, kBlockY}},
                          pack_parameters(to, from, s32(nx_), s32(ny_), s32(nz_)));
            std::swap(from, to);
        }
        after_ = device.download<float>(from, before_.size());
    }

    CheckReport check() const override {
        const std::int64_t plane = row_ * (ny_ + 2 * kRadius);
        const std::array<std::int64_t, 3> first{kRadius, kRadius, kRadius};
        const std::array<std::int64_t, 3> end{nx_ + kRadius, ny_ + kRadius, nz_ + kRadius};
        const auto expected = after_steps(before_, steps_, [&](const auto& now, auto& next) {
            for_each_point(first, end, [&](auto x, auto y, auto z) {
                const double* at = &now[x + y * row_ + z * plane];
                double sum = double{kWeights[0]} * at[0];
                for (std::int64_t i = 1; i <= kRadius; ++i) {
                    sum += double{kWeights[i]} *
                           (at[-i] + at[i] + at[-i * row_] + at[i * row_] + at[-i * plane] + at[i * plane]);
                }
                next[x + y * row_ + z * plane] = sum;
            });
        });
        return compare_close("u", after_, expected, kTolerance);
    }

  private:
    const std::int64_t nx_ = value(0), ny_ = value(1), nz_ = value(2), steps_ = value(3);
    const std::int64_t row_ = nx_ + 2 * kRadius;
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Fdtd3d, FDTD3d)

}  // namespace lookahead::workloads::FDTD3d
