#include <map>

#include "experiments/workloads/forms.h"
#include "experiments/workloads/miniamr/files.h"

namespace lookahead::workloads::miniamr {

constexpr std::uint32_t kThreads = 128;
constexpr std::int64_t kSide = 10, kLayer = kSide * kSide, kCells = kLayer * kSide;  ///< of a block, as in the suite
/// Means of values between 0 and 1: each step rounds by some units in the last place.
constexpr double kTolerance = 1e-6;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"roots", "block", {2, 2, 4, 8}, 16, "Blocks along each side of the mesh before refinement."},
    {"variables", "variable", {2, 8, 20, 40}, 100, "Variables of each cell; 40 in the suite."},
    {"steps", "step", {2, 4, 3, 20}, 1 << 14, "Steps of the stencil."},
}};

class Miniamr : public SizedWorkload<kParameters, kLoopedAndVectorFormTo8> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Miniamr, miniamr)

    void run(Device& device) override {
        make_mesh();
        before_ = XorShift32(seed()).floats(blocks_.size() * variables_ * kCells);
        const DeviceAddress cells = device.upload(before_), neighbours = device.upload(neighbours_);
        const DeviceAddress halos = device.allocate(blocks_.size() * variables_ * 6 * kLayer * sizeof(float));
        const auto blocks = u32(blocks_.size()), variables = u32(variables_);
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("miniamr_halos", {{6 * blocks, variables}, {kThreads}},
                          pack_parameters(halos, cells, neighbours));
            device.launch(stencil_, {{blocks, variables}, {kThreads}}, pack_parameters(cells, halos));
        }
        after_ = device.download<float>(cells, before_.size());
    }

    CheckReport check() const override {
        const auto expected = after_steps(before_, steps_, [this](const auto& now, auto& next) {
            for (std::size_t block = 0; block < blocks_.size(); ++block) {
                for (std::int64_t cell = 0; cell < kCells; ++cell) {
                    const Point at{cell % kSide, cell / kSide % kSide, cell / kSide / kSide};
                    for (std::int64_t variable = 0; variable < variables_; ++variable) {
                        double sum = value_at(now, block, at, variable);
                        for (int axis = 0; axis < 3; ++axis) {
                            for (const int direction : {-1, 1}) {
                                Point beside = at;
                                beside[axis] += direction;
                                sum += value_at(now, block, beside, variable);
                            }
                        }
                        next[(block * variables_ + variable) * kCells + cell] = sum / 7;
                    }
                }
            }
        });
        return compare_close("cell", after_, expected, kTolerance);
    }

  private:
    using Point = std::array<std::int64_t, 3>;
    /// A block at level 0 (root) or 1, in units of its own size.
    struct Block {
        int level;
        Point at;
    };
    enum Kind : std::int32_t { border, same, coarser, finer };
    // The layout in kernel.cu.
    struct Neighbour {
        std::int32_t kind, quarter;
        std::array<std::int32_t, 4> blocks;
    };

    /// Refines roots cut by the surface of a sphere around the mesh's corner, with a radius of 3/8 of the mesh's side.
    bool is_refined(const Point& root) const {
        std::int64_t nearest = 0, farthest = 0;
        for (const std::int64_t i : root) {
            nearest += 64 * i * i;
            farthest += 64 * (i + 1) * (i + 1);
        }
        return nearest < 9 * roots_ * roots_ && 9 * roots_ * roots_ < farthest;
    }

    void make_mesh() {
        blocks_.clear();
        numbers_.clear();
        const auto add = [this](int level, const Point& at) {
            numbers_[{level, at}] = s32(blocks_.size());
            blocks_.push_back({level, at});
        };
        for (std::int64_t root = 0; root < roots_ * roots_ * roots_; ++root) {
            const Point at{root % roots_, root / roots_ % roots_, root / roots_ / roots_};
            if (!is_refined(at)) {
                add(0, at);
                continue;
            }
            for (int child = 0; child < 8; ++child) {
                add(1, {2 * at[0] + child % 2, 2 * at[1] + child / 2 % 2, 2 * at[2] + child / 4});
            }
        }
        neighbours_.clear();
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            for (int face = 0; face < 6; ++face) { neighbours_.push_back(beyond(block, face)); }
        }
    }

    Neighbour beyond(std::size_t block, int face) const {
        const int axis = face / 2, axis_u = axis == 0 ? 1 : 0, axis_v = axis == 2 ? 1 : 2;
        const auto [level, mine] = blocks_[block];
        Point at = mine;
        at[axis] += face % 2 == 0 ? -1 : 1;
        if (at[axis] < 0 || at[axis] >= roots_ << level) { return {border, 0, {s32(block), 0, 0, 0}}; }
        if (const auto found = numbers_.find({level, at}); found != numbers_.end()) {
            return {same, 0, {found->second, 0, 0, 0}};
        }
        if (level == 1) {
            const auto quarter = s32(mine[axis_u] % 2 + 2 * (mine[axis_v] % 2));
            return {coarser, quarter, {numbers_.at({0, {at[0] / 2, at[1] / 2, at[2] / 2}}), 0, 0, 0}};
        }
        Neighbour four{finer, 0, {}};
        for (int i = 0; i < 4; ++i) {
            Point child;
            child[axis] = 2 * at[axis] + (face % 2 == 0 ? 1 : 0);
            child[axis_u] = 2 * at[axis_u] + i % 2;
            child[axis_v] = 2 * at[axis_v] + i / 2;
            four.blocks[i] = numbers_.at({1, child});
        }
        return four;
    }

    /// The value of a cell of a block or next to it, found by its position in the mesh, without the lists of
    /// neighbours.
    double value_at(const std::vector<double>& values, std::size_t block, const Point& cell,
                    std::int64_t variable) const {
        const auto in_block = [&](std::int32_t which, const Point& at) {
            return values[(which * variables_ + variable) * kCells + (at[2] * kSide + at[1]) * kSide + at[0]];
        };
        const auto [level, at] = blocks_[block];
        Point place = cell;  // in the mesh, in cells of the block's level
        for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t limit = (roots_ << level) * kSide;
            place[axis] = std::min(std::max<std::int64_t>(place[axis] + at[axis] * kSide, 0), limit - 1);
        }
        const auto find = [&](int wanted, const Point& where) {
            return numbers_.find({wanted, {where[0] / kSide, where[1] / kSide, where[2] / kSide}});
        };
        const auto within = [&](const Point& where) {
            return Point{where[0] % kSide, where[1] % kSide, where[2] % kSide};
        };
        if (const auto found = find(level, place); found != numbers_.end()) {
            return in_block(found->second, within(place));
        }
        if (level == 1) {
            const Point coarse{place[0] / 2, place[1] / 2, place[2] / 2};
            return in_block(find(0, coarse)->second, within(coarse));
        }
        // The four finer cells that touch this block.
        double sum = 0;
        for (int child = 0; child < 8; ++child) {
            Point fine{2 * place[0] + child % 2, 2 * place[1] + child / 2 % 2, 2 * place[2] + child / 4};
            bool touches = true;
            for (int axis = 0; axis < 3; ++axis) {
                if (cell[axis] < 0) { touches = touches && fine[axis] % 2 == 1; }
                if (cell[axis] >= kSide) { touches = touches && fine[axis] % 2 == 0; }
            }
            if (touches) { sum += in_block(find(1, fine)->second, within(fine)); }
        }
        return sum / 4;
    }

    const std::int64_t roots_ = value(0), variables_ = value(1), steps_ = value(2);
    const std::string stencil_ = kernel_of_form("miniamr_stencil", word(0), word(1), word(2));
    std::vector<Block> blocks_;
    std::map<std::pair<int, Point>, std::int32_t> numbers_;
    std::vector<Neighbour> neighbours_;
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Miniamr, miniamr)

}  // namespace lookahead::workloads::miniamr
