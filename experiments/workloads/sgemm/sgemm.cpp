#include "experiments/workloads/forms.h"
#include "experiments/workloads/peer.h"
#include "experiments/workloads/sgemm/files.h"
#include "experiments/workloads/sgemm/peer.h"

namespace lookahead::workloads::sgemm {

constexpr std::int64_t kColumns = 16, kDepth = 8, kRows = kColumns * kDepth;  // of the kernel's tiles
/// A dot product of k terms in [0, 1) in single precision, relative to its double-precision value.
constexpr double kTolerance = 1e-4;
constexpr float kAlpha = 1.0f, kBeta = 0.5f;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"m", "row", {128, 512, 1024, 2048}, 1 << 14, "Rows of C.", kRows},
    {"n", "column", {32, 512, 1024, 2048}, 1 << 14, "Columns of C.", kColumns},
    {"k", "column", {16, 96, 448, 1024}, 1 << 14, "Columns of A.", kDepth},
}};

class Sgemm : public SizedWorkload<kParameters, kLoopedAndVectorFormTo8> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Sgemm, sgemm)

    void run(Device& device) override {
        XorShift32 random(seed());
        a_ = random.floats(m_ * k_);
        b_ = random.floats(n_ * k_);
        c_before_ = random.floats(m_ * n_);

        const DeviceAddress a = device.upload(a_), b = device.upload(b_), c = device.upload(c_before_);
        const auto m = s32(m_), n = s32(n_), k = s32(k_);
        device.launch(kernel_, {{blocks_for(m_, kRows), blocks_for(n_, kColumns)}, {kColumns, kDepth}},
                      pack_parameters(a, m, b, n, c, m, k, kAlpha, kBeta));
        c_ = device.download<float>(c, m_ * n_);
    }

    CheckReport check() const override {
        std::vector<double> expected(m_ * n_);
        for (std::int64_t j = 0; j < n_; ++j) {
            double* column = expected.data() + j * m_;
            for (std::int64_t k = 0; k < k_; ++k) {
                const double b = b_[j + k * n_];
                for (std::int64_t i = 0; i < m_; ++i) { column[i] += b * a_[i + k * m_]; }
            }
            for (std::int64_t i = 0; i < m_; ++i) { column[i] = kAlpha * column[i] + kBeta * c_before_[i + j * m_]; }
        }
        return compare_close("C", c_, expected, kTolerance);
    }

  private:
    const std::int64_t m_ = value(0), n_ = value(1), k_ = value(2);
    const std::string kernel_ = kernel_of_form("sgemm", word(0), word(1), word(2));
    std::vector<float> a_, b_, c_before_, c_;
};

using SgemmOrPeer = WithPeer<Sgemm, SgemmPeer>;

LOOKAHEAD_REGISTER_WORKLOAD(SgemmOrPeer, sgemm)

}  // namespace lookahead::workloads::sgemm
