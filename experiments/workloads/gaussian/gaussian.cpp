#include "experiments/workloads/forms.h"
#include "experiments/workloads/gaussian/files.h"

namespace lookahead::workloads::gaussian {

constexpr std::uint32_t kFan1Block = 512, kFan2Block = 4, kWarp = 32;
/// Relative, or absolute for values below 1. With a dominant diagonal multipliers are at most 1, so rounding errors do
/// not grow.
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"size", "row", {50, 112, 296, 1024}, 1 << 13, "Rows of the matrix; from 4 to 1024 in the suite."},
    {"share", "element", {4, 16, 16, 16}, 1 << 10, "Elements per thread in form=looped, while all rows are left."},
}};

class Gaussian : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Gaussian, gaussian)

    void run(Device& device) override {
        XorShift32 random(seed());
        // A row's other elements sum to at most 0.75, so no pivoting is needed.
        a_before_ = random.floats(size_ * size_, -0.75f / static_cast<float>(size_), 0.75f / static_cast<float>(size_));
        for (std::int64_t i = 0; i < size_; ++i) { a_before_[i * size_ + i] += 1.0f; }
        b_before_ = random.floats(size_, -1.0f, 1.0f);

        const DeviceAddress a = device.upload(a_before_), b = device.upload(b_before_);
        const DeviceAddress multiplier = device.upload(std::vector<float>(size_ * size_, 0.0f));
        const auto size = s32(size_);
        // The suite always uses blocks of 512 rows; with several rows per thread, blocks are no larger than needed.
        const std::uint32_t fan1_block =
            is_original() ? kFan1Block : std::min(kFan1Block, blocks_for(size_, kWarp * share_) * kWarp);
        const LaunchConfiguration rows{{blocks_for(size_, fan1_block * share_)}, {fan1_block}};
        const LaunchConfiguration all{{blocks_for(size_, kFan2Block), blocks_for(size_, kFan2Block * share_)},
                                      {kFan2Block, kFan2Block}};
        for (std::int32_t column = 0; column < size - 1; ++column) {
            device.launch(fan1_, rows, pack_parameters(multiplier, a, size, column));
            device.launch(fan2_, all, pack_parameters(multiplier, a, b, size, column));
        }
        multiplier_ = device.download<float>(multiplier, a_before_.size());
        a_ = device.download<float>(a, a_before_.size());
        b_ = device.download<float>(b, b_before_.size());
        substitute();
    }

    CheckReport check() const override {
        std::vector<double> a(a_before_.begin(), a_before_.end()), b(b_before_.begin(), b_before_.end());
        std::vector<double> multiplier(a.size(), 0.0);
        for (std::int64_t k = 0; k < size_ - 1; ++k) {
            for (std::int64_t row = k + 1; row < size_; ++row) {
                const double m = multiplier[row * size_ + k] = a[row * size_ + k] / a[k * size_ + k];
                for (std::int64_t j = k; j < size_; ++j) { a[row * size_ + j] -= m * a[k * size_ + j]; }
                b[row] -= m * b[k];
            }
        }
        std::vector<double> x(size_);
        for (std::int64_t row = size_ - 1; row >= 0; --row) {
            x[row] = b[row];
            for (std::int64_t j = row + 1; j < size_; ++j) { x[row] -= a[row * size_ + j] * x[j]; }
            x[row] /= a[row * size_ + row];
        }
        return all_of({compare_close("multiplier", multiplier_, multiplier, kTolerance),
                       compare_close("matrix", a_, a, kTolerance), compare_close("right side", b_, b, kTolerance),
                       compare_close("solution", x_, x, kTolerance)});
    }

  private:
    /// The host solves for x, last row first, as in the suite.
    void substitute() {
        x_.assign(size_, 0.0f);
        for (std::int64_t row = size_ - 1; row >= 0; --row) {
            x_[row] = b_[row];
            for (std::int64_t j = row + 1; j < size_; ++j) { x_[row] -= a_[row * size_ + j] * x_[j]; }
            x_[row] /= a_[row * size_ + row];
        }
    }

    const std::int64_t size_ = value(0), share_ = is_original() ? 1 : value(1);
    const std::string fan1_ = kernel_of_form("gaussian_fan1", word(0), word(1), word(2));
    const std::string fan2_ = kernel_of_form("gaussian_fan2", word(0), word(1), word(2));
    std::vector<float> a_before_, b_before_, multiplier_, a_, b_, x_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Gaussian, gaussian)

}  // namespace lookahead::workloads::gaussian
