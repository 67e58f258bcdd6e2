#include "experiments/workloads/lbm/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::lbm {

constexpr int kDirections = 19;
constexpr int kX[kDirections] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constexpr int kY[kDirections] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
constexpr int kZ[kDirections] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
constexpr double kWeight[3] = {1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0};
constexpr float kOmega = 1.95f;
/// Relative to the value or to the least weight.
constexpr double kTolerance = 1e-4, kScale = 1.0 / 36.0;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"nx", "cell", {40, 120, 120, 120}, 512, "Cells in x, and threads of a block; 120 in the suite."},
    {"ny", "cell", {6, 24, 120, 120}, 1024, "Cells in y; 120 in the suite."},
    {"nz", "cell", {6, 24, 72, 150}, 1024, "Cells in z; 150 in the suite."},
    {"steps", "step", {3, 2, 2, 20}, 1 << 14, "Steps, one launch each."},
}};

class Lbm : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Lbm, lbm)

    void run(Device& device) override {
        make_cavity();
        DeviceAddress from = device.upload(before_), to = device.upload(before_);
        const DeviceAddress flags = device.upload(flags_);
        const LaunchConfiguration shape{{u32(ny_), u32(nz_)}, {u32(nx_)}};
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("lbm", shape,
                          pack_parameters(from, to, flags, s32(pitch_), s32(plane_), s32(cells_), s32(first_), kOmega));
            std::swap(from, to);
        }
        after_ = device.download<float>(from, before_.size());
    }

    CheckReport check() const override {
        const auto expected = after_steps(before_, steps_, [&](const auto& now, auto& next) {
            for_each_point({}, {nx_, ny_, nz_},
                           [&](auto x, auto y, auto z) { stream(now, next, first_ + x + y * pitch_ + z * plane_); });
        });
        return compare_close("distribution", after_, expected, kTolerance, kScale);
    }

  private:
    /// A box of obstacles around the fluid, some more inside it, and a moving lid below its top.
    void make_cavity() {
        XorShift32 random(seed());
        flags_.assign(cells_, 0);
        before_.assign(kDirections * cells_, 0.0f);
        for (int i = 0; i < kDirections; ++i) {
            const auto weight = static_cast<float>(kWeight[(i > 0) + (i > 6)]);
            for (std::int64_t cell = 0; cell < cells_; ++cell) {
                before_[i * cells_ + cell] = weight * (0.95f + 0.1f * random.next_float());
            }
        }
        for_each_point({}, {nx_, ny_, nz_}, [&](auto x, auto y, auto z) {
            const bool wall = x == 0 || x == nx_ - 1 || y == 0 || y == ny_ - 1 || z == 0 || z == nz_ - 1;
            flags_[first_ + x + y * pitch_ + z * plane_] = wall || random.next() % 64 == 0 ? 1 : z == nz_ - 2 ? 2 : 0;
        });
    }

    void stream(const std::vector<double>& from, std::vector<double>& to, std::int64_t place) const {
        const auto target = [&](int i) { return place + kX[i] + kY[i] * pitch_ + kZ[i] * plane_ + i * cells_; };
        double f[kDirections], density = 0, u[3] = {};
        for (int i = 0; i < kDirections; ++i) {
            f[i] = from[place + i * cells_];
            density += f[i];
            u[0] += kX[i] * f[i];
            u[1] += kY[i] * f[i];
            u[2] += kZ[i] * f[i];
        }
        if ((flags_[place] & 1) != 0) {
            for (int i = 0; i < kDirections; ++i) { to[target(i == 0 ? 0 : ((i - 1) ^ 1) + 1)] = f[i]; }
            return;
        }
        for (double& component : u) { component /= density; }
        if ((flags_[place] & 2) != 0) { u[0] = 0.005f, u[1] = 0.002f, u[2] = 0; }
        const double squared = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        for (int i = 0; i < kDirections; ++i) {
            const double along = kX[i] * u[0] + kY[i] * u[1] + kZ[i] * u[2];
            const double equilibrium =
                kWeight[(i > 0) + (i > 6)] * density * (1 + 3 * along + 4.5 * along * along - 1.5 * squared);
            to[target(i)] = (1 - double{kOmega}) * f[i] + kOmega * equilibrium;
        }
    }

    const std::int64_t nx_ = value(0), ny_ = value(1), nz_ = value(2), steps_ = value(3);
    /// Rows and planes are padded, with one plane before the first and one after the last for values that stream out.
    const std::int64_t pitch_ = (nx_ + 2 + 31) / 32 * 32, plane_ = pitch_ * (ny_ + 2);
    const std::int64_t first_ = 2 * plane_, cells_ = plane_ * (nz_ + 4);
    std::vector<std::int32_t> flags_;
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Lbm, lbm)

}  // namespace lookahead::workloads::lbm
