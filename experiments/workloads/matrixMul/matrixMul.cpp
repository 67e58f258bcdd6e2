#include "experiments/workloads/matrixMul/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::matrixMul {

constexpr std::int64_t kTile = 16;
constexpr double kTolerance = 1e-4;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"m", "row", {32, 256, 640, 2048}, 1 << 14, "Rows of A and C.", kTile},
    {"n", "column", {48, 256, 640, 2048}, 1 << 14, "Columns of B and C.", kTile},
    {"k", "column", {64, 256, 768, 2048}, 1 << 14, "Columns of A.", kTile},
}};

class MatrixMul : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(MatrixMul, matrixMul)

    void run(Device& device) override {
        XorShift32 random(seed());
        a_ = random.floats(m_ * k_);
        b_ = random.floats(k_ * n_);
        const DeviceAddress a = device.upload(a_), b = device.upload(b_);
        const DeviceAddress c = device.allocate(m_ * n_ * sizeof(float));
        device.launch("matrix_mul", {{blocks_for(n_, kTile), blocks_for(m_, kTile)}, {kTile, kTile}},
                      pack_parameters(c, a, b, s32(k_), s32(n_)));
        c_ = device.download<float>(c, m_ * n_);
    }

    CheckReport check() const override { return compare_close("C", c_, product(a_, b_, m_, k_, n_), kTolerance); }

  private:
    const std::int64_t m_ = value(0), n_ = value(1), k_ = value(2);
    std::vector<float> a_, b_, c_;
};

LOOKAHEAD_REGISTER_WORKLOAD(MatrixMul, matrixMul)

}  // namespace lookahead::workloads::matrixMul
