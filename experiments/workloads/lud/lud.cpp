#include "experiments/workloads/lud/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::lud {

constexpr std::int64_t kBlock = 16;
/// Relative, or absolute for elements below 1. With a dominant diagonal |L| is at most 1, so rounding errors do not
/// grow.
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"n", "row", {80, 320, 832, 2048}, 1 << 14, "Rows and columns of the matrix; 2048 is the suite's largest.", kBlock},
}};

class Lud : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Lud, lud)

    void run(Device& device) override {
        // A row's other elements sum to at most 0.75, so no pivoting is needed.
        before_ = XorShift32(seed()).floats(n_ * n_, -0.75f / static_cast<float>(n_), 0.75f / static_cast<float>(n_));
        for (std::int64_t i = 0; i < n_; ++i) { before_[i * n_ + i] += 1.0f; }

        const DeviceAddress matrix = device.upload(before_);
        const auto n = s32(n_);
        constexpr auto kWidth = u32(kBlock);
        for (std::int32_t offset = 0; offset < n; offset += s32(kBlock)) {
            const auto left = u32((n - offset) / kBlock - 1);
            device.launch("lud_diagonal", {{1}, {kWidth}}, pack_parameters(matrix, n, offset));
            if (left == 0) { break; }
            device.launch("lud_perimeter", {{left}, {2 * kWidth}}, pack_parameters(matrix, n, offset));
            device.launch("lud_internal", {{left, left}, {kWidth, kWidth}}, pack_parameters(matrix, n, offset));
        }
        after_ = device.download<float>(matrix, before_.size());
    }

    CheckReport check() const override {
        std::vector<double> lu(before_.begin(), before_.end());
        for (std::int64_t k = 0; k < n_; ++k) {
            const double* pivot = &lu[k * n_];
            for (std::int64_t i = k + 1; i < n_; ++i) {
                double* row = &lu[i * n_];
                row[k] /= pivot[k];
                for (std::int64_t j = k + 1; j < n_; ++j) { row[j] -= row[k] * pivot[j]; }
            }
        }
        return compare_close("LU", after_, lu, kTolerance);
    }

  private:
    const std::int64_t n_ = value(0);
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Lud, lud)

}  // namespace lookahead::workloads::lud
