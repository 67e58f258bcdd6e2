#include "experiments/workloads/pathfinder/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::pathfinder {

constexpr std::int64_t kBlock = 256;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"columns", "cell", {1000, 40000, 100000, 400000}, 1 << 24, "Columns of the grid."},
    {"rows", "cell", {12, 60, 240, 240}, 1 << 14, "Rows of the grid."},
    {"pyramid", "row", {5, 20, 20, 20}, 100, "Rows per launch."},
}};

class Pathfinder : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Pathfinder, pathfinder)

    void run(Device& device) override {
        XorShift32 random(seed());
        wall_.resize(columns_ * rows_);
        for (std::int32_t& cell : wall_) { cell = s32(random.next() % 10); }

        // Paths begin in the first row; the others are the wall.
        const DeviceAddress wall = device.upload(std::vector<std::int32_t>(wall_.begin() + columns_, wall_.end()));
        DeviceAddress from = device.upload(std::vector<std::int32_t>(wall_.begin(), wall_.begin() + columns_));
        DeviceAddress to = device.allocate(columns_ * sizeof(std::int32_t));
        const auto columns = s32(columns_), border = s32(pyramid_);
        const std::uint32_t blocks = blocks_for(columns_, kBlock - 2 * pyramid_);
        for (std::int64_t row = 0; row < rows_ - 1; row += pyramid_) {
            // All blocks have the width of a full pyramid, even if fewer rows are left.
            const auto rows = s32(std::min(pyramid_, rows_ - 1 - row));
            const std::uint32_t needed = rows == border ? blocks : blocks_for(columns_, kBlock - 2 * rows);
            device.launch("pathfinder", {{needed}, {kBlock}},
                          pack_parameters(rows, wall, from, to, columns, s32(rows_), s32(row), rows));
            std::swap(from, to);
        }
        result_ = device.download<std::int32_t>(from, columns_);
    }

    CheckReport check() const override {
        std::vector<std::int32_t> now(wall_.begin(), wall_.begin() + columns_), next(columns_);
        for (std::int64_t row = 1; row < rows_; ++row) {
            for (std::int64_t x = 0; x < columns_; ++x) {
                const std::int32_t west = now[std::max<std::int64_t>(x - 1, 0)];
                const std::int32_t east = now[std::min(x + 1, columns_ - 1)];
                next[x] = std::min({west, now[x], east}) + wall_[row * columns_ + x];
            }
            now.swap(next);
        }
        return compare_exact("cost", result_, now);
    }

  private:
    const std::int64_t columns_ = value(0), rows_ = value(1), pyramid_ = value(2);
    std::vector<std::int32_t> wall_, result_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Pathfinder, pathfinder)

}  // namespace lookahead::workloads::pathfinder
