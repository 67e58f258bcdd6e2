#include "experiments/workloads/cp/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::cp {

constexpr std::int64_t kBlockX = 16, kBlockY = 8, kPoints = 8;
constexpr float kSpacing = 0.1f;
/// Relative, or absolute for potentials below 1: charges have both signs, so sums may be near 0.
constexpr double kTolerance = 1e-4;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"columns", "point", {128, 256, 1024, 2048}, 1 << 14, "Grid points in x.", kBlockX* kPoints},
    {"rows", "point", {16, 256, 512, 2048}, 1 << 14, "Grid points in y.", kBlockY},
    {"atoms", "atom", {40, 200, 400, 4000}, 4000, "Atoms."},
}};

class Cp : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Cp, cp)

    void run(Device& device) override {
        XorShift32 random(seed());
        for (std::int64_t i = 0; i < atoms_; ++i) {
            const float x = kSpacing * static_cast<float>(columns_) * random.next_float();
            const float y = kSpacing * static_cast<float>(rows_) * random.next_float();
            const float z = 0.5f + 8.0f * random.next_float();
            atom_.insert(atom_.end(), {x, y, z * z, 2.0f * random.next_float() - 1.0f});
        }
        before_ = random.floats(columns_ * rows_);

        device.copy_values(device.variable("cp_atoms"), atom_);
        const DeviceAddress energy = device.upload(before_);
        device.launch("cp", {{blocks_for(columns_, kBlockX * kPoints), blocks_for(rows_, kBlockY)}, {kBlockX, kBlockY}},
                      pack_parameters(s32(atoms_), kSpacing, energy));
        energy_ = device.download<float>(energy, before_.size());
    }

    CheckReport check() const override {
        std::vector<double> expected(before_.begin(), before_.end());
        for (std::int64_t row = 0; row < rows_; ++row) {
            for (std::int64_t column = 0; column < columns_; ++column) {
                double sum = 0;
                for (std::int64_t i = 0; i < atoms_; ++i) {
                    const float* atom = &atom_[4 * i];
                    const double dx = double{kSpacing} * static_cast<double>(column) - atom[0];
                    const double dy = double{kSpacing} * static_cast<double>(row) - atom[1];
                    sum += atom[3] / std::sqrt(dx * dx + dy * dy + atom[2]);
                }
                expected[row * columns_ + column] += sum;
            }
        }
        return compare_close("energy", energy_, expected, kTolerance);
    }

  private:
    const std::int64_t columns_ = value(0), rows_ = value(1), atoms_ = value(2);
    std::vector<float> atom_, before_, energy_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Cp, cp)

}  // namespace lookahead::workloads::cp
