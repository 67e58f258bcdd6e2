#include <numeric>

#include "experiments/workloads/forms.h"
#include "experiments/workloads/spmv/files.h"

namespace lookahead::workloads::spmv {

constexpr std::int64_t kGroup = 32;
constexpr std::uint32_t kBlock = 256;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"cells", "cell", {11, 127, 255, 255}, 255, "Squares along a side of the mesh."},
    {"products", "product", {1, 4, 20, 40}, 1 << 16, "Products with the same vector."},
}};

class Spmv : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Spmv, spmv)

    void run(Device& device) override {
        make_matrix();
        std::vector<float> data;
        std::vector<std::int32_t> column, permutation, diagonal_at, group_length;
        make_diagonals(data, column, permutation, diagonal_at, group_length);

        const DeviceAddress diagonals = is_original() ? device.variable("spmv_diagonal_at")
                                                      : device.allocate(diagonal_at.size() * sizeof(std::int32_t));
        device.copy_values(diagonals, diagonal_at);
        device.copy_values(device.variable("spmv_group_length"), group_length);
        const DeviceAddress values = device.upload(data), columns = device.upload(column);
        const DeviceAddress order = device.upload(permutation), x = device.upload(x_);
        const DeviceAddress y = device.allocate(rows_ * sizeof(float));
        for (std::int64_t i = 0; i < products_; ++i) {
            const auto rows = s32(rows_);
            device.launch(kernel_, {{blocks_for(rows_, kBlock)}, {kBlock}},
                          is_original() ? pack_parameters(y, values, columns, order, x, rows)
                                        : pack_parameters(y, values, columns, order, x, diagonals, rows));
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
    /// The matrix of quadratic finite elements on a square mesh with two triangles per square. Nodes are corners and
    /// sides' middles, numbered row by row; all nodes of a triangle are coupled. Values are random.
    void make_matrix() {
        XorShift32 random(seed());
        std::vector<std::vector<std::int32_t>> coupled(rows_);
        const std::int64_t side = 2 * cells_ + 1;
        for (std::int64_t cell = 0; cell < cells_ * cells_; ++cell) {
            const std::int64_t x = 2 * (cell % cells_), y = 2 * (cell / cells_);
            for (const std::int64_t triangle : {0, 1}) {
                std::vector<std::int32_t> nodes;
                for (std::int64_t i = 0; i < 9; ++i) {
                    // Both triangles contain the diagonal's nodes.
                    const bool is_in = triangle == 0 ? i % 3 <= i / 3 : i % 3 >= i / 3;
                    if (is_in) { nodes.push_back(s32((y + i / 3) * side + x + i % 3)); }
                }
                for (const std::int32_t node : nodes) {
                    coupled[node].insert(coupled[node].end(), nodes.begin(), nodes.end());
                }
            }
        }
        row_at_.assign(1, 0);
        column_.clear();
        value_.clear();
        for (std::vector<std::int32_t>& nodes : coupled) {
            std::ranges::sort(nodes);
            nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
            column_.insert(column_.end(), nodes.begin(), nodes.end());
            row_at_.push_back(s32(column_.size()));
        }
        for (std::size_t i = 0; i < column_.size(); ++i) { value_.push_back(random.next_float()); }
        x_ = random.floats(rows_);
    }

    void make_diagonals(std::vector<float>& data, std::vector<std::int32_t>& column,
                        std::vector<std::int32_t>& permutation, std::vector<std::int32_t>& diagonal_at,
                        std::vector<std::int32_t>& group_length) const {
        const auto length = [this](std::int32_t row) { return row_at_[row + 1] - row_at_[row]; };
        permutation.resize(rows_);
        std::iota(permutation.begin(), permutation.end(), 0);
        std::ranges::stable_sort(permutation, std::ranges::greater{}, length);
        for (std::int64_t first = 0; first < rows_; first += kGroup) {
            group_length.push_back(length(permutation[first]));
        }
        for (std::int32_t k = 0; k < group_length[0]; ++k) {
            diagonal_at.push_back(s32(data.size()));
            for (std::int64_t row = 0; row < rows_ && k < group_length[row / kGroup]; ++row) {
                const bool is_there = k < length(permutation[row]);
                data.push_back(is_there ? value_[row_at_[permutation[row]] + k] : 0.0f);
                column.push_back(is_there ? column_[row_at_[permutation[row]] + k] : 0);
            }
        }
    }

    const std::int64_t cells_ = value(0), products_ = value(1), rows_ = (2 * cells_ + 1) * (2 * cells_ + 1);
    const std::string kernel_ = kernel_of_form("spmv_jds", word(0), word(1), word(2));
    std::vector<std::int32_t> row_at_, column_;
    std::vector<float> value_, x_, y_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Spmv, spmv)

}  // namespace lookahead::workloads::spmv
