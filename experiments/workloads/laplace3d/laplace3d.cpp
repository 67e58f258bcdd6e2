#include "experiments/workloads/laplace3d/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::laplace3d {

constexpr std::int64_t kBlockX = 32, kBlockY = 4;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"nx", "point", {40, 100, 256, 512}, 4096, "Points in x."},
    {"ny", "point", {10, 100, 256, 512}, 4096, "Points in y."},
    {"nz", "point", {6, 100, 128, 256}, 4096, "Points in z."},
    {"steps", "step", {2, 1, 2, 4}, 1 << 14, "Jacobi steps, one launch each."},
}};

class Laplace3d : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Laplace3d, laplace3d)

    void run(Device& device) override {
        before_ = XorShift32(seed()).floats(pitch_ * ny_ * nz_);

        DeviceAddress from = device.upload(before_);
        DeviceAddress to = device.upload(before_);  // the padding between rows is never written
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("laplace3d", {{blocks_for(nx_, kBlockX), blocks_for(ny_, kBlockY)}, {kBlockX, kBlockY}},
                          pack_parameters(s32(nx_), s32(ny_), s32(nz_), s32(pitch_), from, to));
            std::swap(from, to);
        }
        after_ = device.download<float>(from, before_.size());
    }

    CheckReport check() const override {
        const std::int64_t row = pitch_, plane = pitch_ * ny_;
        const auto expected = after_steps(before_, steps_, [&](const auto& now, auto& next) {
            for_each_point({1, 1, 1}, {nx_ - 1, ny_ - 1, nz_ - 1}, [&](auto x, auto y, auto z) {
                const double* at = &now[x + y * row + z * plane];
                next[x + y * row + z * plane] = (at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane]) / 6.0;
            });
        });
        return compare_close("u", after_, expected, kTolerance);
    }

  private:
    const std::int64_t nx_ = value(0), ny_ = value(1), nz_ = value(2), steps_ = value(3);
    const std::int64_t pitch_ = (nx_ + 31) / 32 * 32;  ///< of a row, in points
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Laplace3d, laplace3d)

}  // namespace lookahead::workloads::laplace3d
