#include "experiments/workloads/jacobi1D/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::jacobi1D {

constexpr std::uint32_t kBlock = 256;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"n", "point", {1000, 1 << 18, 1 << 20, 1 << 24}, 1 << 28, "Points."},
    {"steps", "step", {3, 6, 24, 24}, 1 << 20, "Steps, two launches each."},
}};

class Jacobi1D : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Jacobi1D, jacobi1D)

    void run(Device& device) override {
        before_ = XorShift32(seed()).floats(n_);
        const DeviceAddress a = device.upload(before_), b = device.upload(before_);
        const auto n = s32(n_);
        const LaunchConfiguration shape{{blocks_for(n_, kBlock)}, {kBlock}};
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("jacobi1D_average", shape, pack_parameters(n, a, b));
            device.launch("jacobi1D_copy", shape, pack_parameters(n, a, b));
        }
        after_ = device.download<float>(a, n_);
    }

    CheckReport check() const override {
        const auto expected = after_steps(before_, steps_, [this](const auto& now, auto& next) {
            for (std::int64_t i = 1; i < n_ - 1; ++i) {
                next[i] = double{0.33333f} * (now[i - 1] + now[i] + now[i + 1]);
            }
        });
        return compare_close("A", after_, expected, kTolerance);
    }

  private:
    const std::int64_t n_ = value(0), steps_ = value(1);
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Jacobi1D, jacobi1D)

}  // namespace lookahead::workloads::jacobi1D
