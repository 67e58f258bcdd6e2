#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/spmv/files.h"

namespace lookahead {

namespace {

constexpr std::int64_t kGroup = 32, kMaxLength = 40;
constexpr std::uint32_t kBlock = 256;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"rows", "row", {500, 65536, 262144, 262144}, 8192 * kGroup, "Rows and columns of the matrix."},
    {"products", "product", {1, 4, 20, 40}, 1 << 16, "Products with the same vector."},
}};

class Spmv : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Spmv, spmv)

    void run(Device& device) override {
        make_matrix();
        std::vector<float> data;
        std::vector<std::int32_t> column, permutation, diagonal_at, group_length;
        make_diagonals(data, column, permutation, diagonal_at, group_length);

        device.copy_to_device(device.variable("spmv_diagonal_at"), std::as_bytes(std::span(diagonal_at)));
        device.copy_to_device(device.variable("spmv_group_length"), std::as_bytes(std::span(group_length)));
        const DeviceAddress values = device.upload(data), columns = device.upload(column);
        const DeviceAddress order = device.upload(permutation), x = device.upload(x_);
        const DeviceAddress y = device.allocate(rows_ * sizeof(float));
        for (std::int64_t i = 0; i < products_; ++i) {
            device.launch("spmv_jds", {{blocks_for(rows_, kBlock)}, {kBlock}},
                          pack_parameters(y, values, columns, order, x, static_cast<std::int32_t>(rows_)));
        }
        y_ = device.download<float>(y, rows_);
    }

    CheckReport check() const override {
        std::vector<double> expected(rows_, 0.0);
        for (std::int64_t row = 0; row < rows_; ++row) {
            for (std::int32_t i = row_at_[row]; i < row_at_[row + 1]; ++i) {
                expected[row] += double{value_[i]} * x_[column_[i]];
            }
        }
        return compare_close("y", y_, expected, kTolerance);
    }

  private:
    /// 1 to kMaxLength entries a row, short rows being more frequent, at random columns.
    void make_matrix() {
        XorShift32 random(seed());
        row_at_.assign(1, 0);
        column_.clear();
        value_.clear();
        for (std::int64_t row = 0; row < rows_; ++row) {
            const std::uint32_t length = 1 + random.next() % kMaxLength * (random.next() % kMaxLength) / kMaxLength;
            for (std::uint32_t i = 0; i < length; ++i) {
                column_.push_back(static_cast<std::int32_t>(random.next() % rows_));
                value_.push_back(random.next_float());
            }
            row_at_.push_back(static_cast<std::int32_t>(column_.size()));
        }
        x_ = random.floats(rows_);
    }

    void make_diagonals(std::vector<float>& data, std::vector<std::int32_t>& column,
                        std::vector<std::int32_t>& permutation, std::vector<std::int32_t>& diagonal_at,
                        std::vector<std::int32_t>& group_length) const {
        const auto length = [this](std::int32_t row) { return row_at_[row + 1] - row_at_[row]; };
        permutation.resize(rows_);
        std::iota(permutation.begin(), permutation.end(), 0);
        std::ranges::stable_sort(permutation, std::ranges::greater{}, length);
        for (std::int64_t first = 0; first < rows_; first += kGroup) group_length.push_back(length(permutation[first]));
        for (std::int32_t k = 0; k < group_length[0]; ++k) {
            diagonal_at.push_back(static_cast<std::int32_t>(data.size()));
            for (std::int64_t row = 0; row < rows_ && k < group_length[row / kGroup]; ++row) {
                const bool is_there = k < length(permutation[row]);
                data.push_back(is_there ? value_[row_at_[permutation[row]] + k] : 0.0f);
                column.push_back(is_there ? column_[row_at_[permutation[row]] + k] : 0);
            }
        }
    }

    const std::int64_t rows_ = value(0), products_ = value(1);
    std::vector<std::int32_t> row_at_, column_;
    std::vector<float> value_, x_, y_;
};

}  // namespace

LOOKAHEAD_REGISTER_WORKLOAD(Spmv, spmv)

}  // namespace lookahead
