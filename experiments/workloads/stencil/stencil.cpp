#include "experiments/workloads/forms.h"
#include "experiments/workloads/stencil/files.h"

namespace lookahead::workloads::stencil {

constexpr std::int64_t kBlockX = 32, kBlockY = 4;
constexpr float kC0 = 1.0f / 6.0f, kC1 = 1.0f / 36.0f;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"nx", "point", {64, 128, 512, 512}, 4096, "Points in x.", 2 * kBlockX},
    {"ny", "point", {8, 128, 512, 512}, 4096, "Points in y.", kBlockY},
    {"nz", "point", {5, 32, 64, 64}, 4096, "Points in z."},
    {"steps", "step", {2, 3, 2, 20}, 1 << 14, "Steps, one launch each."},
}};

class Stencil : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Stencil, stencil)

    void run(Device& device) override {
        before_ = XorShift32(seed()).floats(nx_ * ny_ * nz_);
        DeviceAddress from = device.upload(before_), to = device.upload(before_);
        // The tile of form=vector has as many planes as a vector has elements.
        const auto planes = u32(word(0) == "vector" ? std::stoul(word(2)) : 1);
        const LaunchConfiguration shape{{blocks_for(nx_, 2 * kBlockX), blocks_for(ny_, kBlockY)},
                                        {kBlockX, kBlockY},
                                        u32(2 * kBlockX * kBlockY * sizeof(float)) * planes};
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch(kernel_, shape, pack_parameters(kC0, kC1, from, to, s32(nx_), s32(ny_), s32(nz_)));
            std::swap(from, to);
        }
        after_ = device.download<float>(from, before_.size());
    }

    CheckReport check() const override {
        const std::int64_t row = nx_, plane = nx_ * ny_;
        const auto expected = after_steps(before_, steps_, [&](const auto& now, auto& next) {
            for_each_point({1, 1, 1}, {nx_ - 1, ny_ - 1, nz_ - 1}, [&](auto x, auto y, auto z) {
                const double* at = &now[x + y * row + z * plane];
                next[x + y * row + z * plane] =
                    (at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane]) * double{kC1} - at[0] * double{kC0};
            });
        });
        // Values shrink from step to step, so the tolerance is relative to the borders' values, 1.
        return compare_close("A", after_, expected, kTolerance);
    }

  private:
    const std::int64_t nx_ = value(0), ny_ = value(1), nz_ = value(2), steps_ = value(3);
    const std::string kernel_ = kernel_of_form("stencil", word(0), word(1), word(2));
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Stencil, stencil)

}  // namespace lookahead::workloads::stencil
