#include "components/frontend/finaliser/spill_registers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "components/frontend/finaliser/allocate.h"
#include "components/frontend/finaliser/dead_code.h"
#include "components/frontend/finaliser/flow.h"
#include "components/frontend/finaliser/literals.h"
#include "components/frontend/finaliser/live_ranges.h"
#include "components/frontend/finaliser/loops.h"
#include "components/frontend/finaliser/recipes.h"

namespace lookahead::finaliser {

using isa::Operand;
using isa::Operation;

namespace {

/// What an access to local memory costs, in arithmetic instructions: an estimate between the L1's latency of some 30
/// cycles, which other warps hide, and one issue slot.
constexpr double kAccessCost = 8;
/// Crowded instructions during which a value that spilling made may live: those that make an instruction's sources.
constexpr double kShortLife = 8;
/// How often a loop is taken to run.
constexpr double kLoopWeight = 10;

/// The guard would be gone when the result is stored.
bool overwrites_its_guard(const VirtualInstruction& instruction) {
    return instruction.guarded() && std::ranges::find(instruction.destination_predicate, instruction.guard.index) !=
                                        instruction.destination_predicate.end();
}

/// One instruction that reads or writes rows of a group.
struct Access {
    std::uint32_t position = 0;  ///< the instruction's number in the kernel
    Place place;
    double weight = 1;       ///< how often it may run
    VirtualOperand operand;  ///< that is read
};

/// What is known about a group of rows.
struct GroupUse {
    std::vector<Access> reads;
    std::vector<Access> writes;
    bool fixed = false;  ///< cannot be spilled
};

/// The kernel as it is between two rounds of spilling.
struct View {
    explicit View(const VirtualKernel& kernel)
        : ranges(live_ranges_of(kernel)), recipes(kernel, ranges), uses(kernel.groups.size()) {
        const ptx::Graph graph = flow_of(kernel);
        const auto depths = loop_depths(graph, ptx::DominatorTree(ptx::immediate_dominators(graph)));
        std::uint32_t position = 0;
        for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
            double weight = 1;
            for (std::uint32_t depth = 0; depth < depths[block]; ++depth) weight *= kLoopWeight;
            std::uint32_t index = 0;
            for (const VirtualInstruction& instruction : kernel.blocks[block].code)
                add(kernel, instruction, {position++, {block, index++}, weight, {}});
        }
        instructions = position;
    }

    std::vector<RangeSet> ranges;
    Recipes recipes;
    std::vector<GroupUse> uses;
    std::uint32_t instructions = 0;

  private:
    void add(const VirtualKernel& kernel, const VirtualInstruction& instruction, Access access) {
        for (const VirtualOperand& operand : instruction.source) {
            if (operand.kind != Operand::Kind::reg) continue;
            access.operand = operand;
            uses[kernel.group_of[operand.index]].reads.push_back(access);
        }
        if (instruction.destination_rows == 0) return;
        GroupUse& written = uses[kernel.group_of[instruction.destination]];
        access.operand = {Operand::Kind::reg, instruction.destination_rows, instruction.destination};
        written.writes.push_back(access);
        written.fixed |= overwrites_its_guard(instruction);
    }
};

/// How a group is best got rid of.
struct Way {
    double cost = 0;
    bool by_recipe = false;
};

struct Victim {
    std::uint32_t group = 0;
    bool by_recipe = false;
    double gain = 0;
};

class Spiller {
  public:
    Spiller(VirtualKernel& kernel, unsigned limit)
        : kernel_(kernel), limit_(limit), originals_(static_cast<std::uint32_t>(kernel.groups.size())) {}

    bool run() {
        // Each round takes a long life from a group; groups that spilling makes can be victims a few times.
        for (std::size_t rounds = 8 * std::size_t{originals_} + 64; rounds > 0; --rounds) {
            const Allocation allocation = allocate(kernel_);
            if (allocation.registers <= limit_) return true;
            const View view(kernel_);
            find_crowded(allocation, view);
            const std::vector<Victim> victims = choose(allocation, view);
            if (victims.empty()) return false;
            for (const Victim& victim : victims) spill(view, victim);
            remove_dead_code(kernel_);
        }
        return false;
    }

  private:
    std::span<const RangeSet> rows_of(const View& view, std::uint32_t group) const {
        return std::span(view.ranges).subspan(kernel_.groups[group].first, kernel_.groups[group].rows);
    }

    bool is_beyond_limit(const Allocation& allocation, const View& view, std::uint32_t group) const {
        const RowGroup& rows = kernel_.groups[group];
        for (std::uint32_t row = rows.first; row < rows.first + rows.rows; ++row)
            if (!view.ranges[row].empty() && allocation.register_of[row] >= limit_) return true;
        return false;
    }

    /// Marks the instructions at which registers run out.
    void find_crowded(const Allocation& allocation, const View& view) {
        crowded_.assign(view.instructions + 1, false);
        for (std::uint32_t group = 0; group < kernel_.groups.size(); ++group) {
            if (!is_beyond_limit(allocation, view, group)) continue;
            for (const RangeSet& row : rows_of(view, group))
                for (const LiveRange& range : row.ranges())
                    for (std::uint32_t i = range.start / 2; i <= (range.end - 1) / 2; ++i) crowded_[i] = true;
        }
    }

    static bool overlap(std::span<const RangeSet> a, std::span<const RangeSet> b) {
        for (const RangeSet& one : a)
            for (const RangeSet& other : b)
                if (one.overlaps(other)) return true;
        return false;
    }

    /// One victim for each place where registers run out, the cheapest for the room that it makes. Recipes hold in the
    /// code as it is, so that at most one goes that way, and first.
    std::vector<Victim> choose(const Allocation& allocation, const View& view) {
        std::vector<Victim> victims;
        const std::vector<Victim> candidates = rated(view);
        for (std::uint32_t group = 0; group < kernel_.groups.size(); ++group) {
            if (!is_beyond_limit(allocation, view, group)) continue;
            const auto crowded = rows_of(view, group);
            const auto relieves = [&](const Victim& victim) { return overlap(rows_of(view, victim.group), crowded); };
            if (std::ranges::any_of(victims, relieves)) continue;
            const auto best = std::ranges::find_if(candidates, relieves);
            if (best == candidates.end()) continue;
            if (!best->by_recipe)
                victims.push_back(*best);
            else if (victims.empty() || !victims.front().by_recipe)
                victims.insert(victims.begin(), *best);
        }
        return victims;
    }

    /// All groups whose spilling makes room, the best first. If none makes room at a crowded place, as when alignment
    /// is what costs registers, those that make room anywhere.
    std::vector<Victim> rated(const View& view) {
        for (const bool anywhere : {false, true}) {
            if (anywhere) crowded_.assign(crowded_.size(), true);
            std::vector<std::uint32_t> crowded_before(crowded_.size() + 1, 0);
            for (std::size_t i = 0; i < crowded_.size(); ++i) crowded_before[i + 1] = crowded_before[i] + crowded_[i];
            std::vector<Victim> result;
            for (std::uint32_t group = 0; group < kernel_.groups.size(); ++group) {
                const double freed = freed_by(view, group, crowded_before);
                if (freed <= 0) continue;
                if (anywhere && is_backed(group)) continue;
                if (const auto way = way_of(view, group))
                    result.push_back({group, way->by_recipe, freed / (1 + way->cost)});
            }
            std::ranges::stable_sort(result, std::ranges::greater(), &Victim::gain);
            if (!result.empty()) return result;
        }
        return {};
    }

    /// Crowded instructions that do not need the group, by rows that live there.
    double freed_by(const View& view, std::uint32_t group, std::span<const std::uint32_t> crowded_before) const {
        double freed = 0;
        for (const RangeSet& row : rows_of(view, group))
            for (const LiveRange& range : row.ranges())
                freed += crowded_before[(range.end - 1) / 2 + 1] - crowded_before[range.start / 2];
        // What is made for one instruction lives beside that instruction's other sources, in whatever order.
        if (freed == 0 || (group >= originals_ && freed <= kShortLife * kernel_.groups[group].rows)) return 0;
        std::set<std::uint32_t> needed;
        for (const auto* accesses : {&view.uses[group].reads, &view.uses[group].writes})
            for (const Access& access : *accesses) needed.insert(access.position);
        // All rows, since some instructions access them one after the other.
        for (const std::uint32_t position : needed)
            freed -= kernel_.groups[group].rows * (crowded_before[position + 1] - crowded_before[position]);
        return freed;
    }

    std::optional<Way> way_of(const View& view, std::uint32_t group) const {
        const GroupUse& use = view.uses[group];
        std::optional<Way> best;
        if (is_backed(group)) {
            best = Way{cost_of(use.reads), false};
        } else if (!use.fixed && !pinned_.contains(kernel_.groups[group].first)) {
            best = Way{cost_of(use.reads) + cost_of(use.writes), false};
        }
        double again = 0;
        for (const Access& read : use.reads) {
            const auto recipe = view.recipes.recipe(read.operand, kernel_.groups[group], read.place, read.position);
            if (!recipe) return best;
            again += read.weight * static_cast<double>(recipe->size());
        }
        if (!best || again < best->cost) best = Way{again, true};
        return best;
    }

    static double cost_of(const std::vector<Access>& accesses) {
        double cost = 0;
        for (const Access& access : accesses) cost += kAccessCost * access.weight * access.operand.rows;
        return cost;
    }

    /// Whether the group's values are in local memory already: it was made by spilling.
    bool is_backed(std::uint32_t group) const {
        const RowGroup& rows = kernel_.groups[group];
        for (std::uint32_t row = rows.first; row < rows.first + rows.rows; ++row)
            if (!slot_of_.contains(row)) return false;
        return true;
    }

    void spill(const View& view, const Victim& victim) {
        const std::uint32_t group = victim.group;
        const RowGroup rows = kernel_.groups[group];
        first_ = rows.first;
        end_ = rows.first + rows.rows;
        by_recipe_ = victim.by_recipe;
        backed_ = !by_recipe_ && is_backed(group);
        recipes_.clear();
        if (by_recipe_) {
            for (const Access& read : view.uses[group].reads)
                recipes_[{read.position, read.operand.index, read.operand.rows}] =
                    *view.recipes.recipe(read.operand, rows, read.place, read.position);
        } else if (!backed_) {
            for (std::uint32_t row = first_; row < end_; ++row) {
                slot_of_[row] = kernel_.frame.local_bytes;
                kernel_.frame.local_bytes += 4;
                kernel_.frame.spill_bytes += 4;
            }
        }
        std::uint32_t position = 0;
        std::vector<bool> crowded;  // of the new code
        for (VirtualBlock& block : kernel_.blocks) {
            std::vector<VirtualInstruction> code;
            kept_.reset();
            const std::size_t before = crowded.size();
            for (const VirtualInstruction& instruction : block.code) {
                const bool is_crowded = crowded_[position];
                rewrite(instruction, position, code);
                if (kept_ && is_crowded && kept_->position != position) kept_->crossed = true;
                ++position;
                crowded.resize(before + code.size(), is_crowded);
            }
            block.code = std::move(code);
        }
        crowded.push_back(false);
        crowded_ = std::move(crowded);
    }

    bool is_spilled(std::uint32_t row) const { return row >= first_ && row < end_; }

    void rewrite(VirtualInstruction instruction, std::uint32_t position, std::vector<VirtualInstruction>& code) {
        const bool writes = instruction.destination_rows != 0 && is_spilled(instruction.destination);
        if (writes && by_recipe_ && is_plain(instruction) && !instruction.guarded()) return;
        for (VirtualOperand& operand : instruction.source)
            if (operand.kind == Operand::Kind::reg && is_spilled(operand.index))
                operand.index = again(operand, position, instruction.machine.line, code);
        if (writes && !by_recipe_) {
            kept_.reset();
            const VirtualOperand written{Operand::Kind::reg, instruction.destination_rows, instruction.destination};
            if (!backed_) return store_result(instruction, position, code);
            kept_ = Kept{written, written.index, position, false};
        }
        code.push_back(instruction);
    }

    void store_result(VirtualInstruction instruction, std::uint32_t position, std::vector<VirtualInstruction>& code) {
        const VirtualOperand written{Operand::Kind::reg, instruction.destination_rows, instruction.destination};
        instruction.destination = kernel_.new_rows(instruction.destination_rows);
        const PredicateUse guard = instruction.guard;
        if (instruction.guarded()) {
            begin_value(instruction, code);
            pinned_.insert(instruction.destination);
        } else {
            for (unsigned i = 0; i < written.rows; ++i)
                slot_of_[instruction.destination + i] = slot_of_[written.index + i];
            kept_ = Kept{written, instruction.destination, position, false};
        }
        code.push_back(instruction);
        for (unsigned i = 0; i < written.rows; ++i) {
            VirtualInstruction store = access(Operation::store, written.index + i, instruction.machine.line);
            store.source[1] = {Operand::Kind::reg, 1, instruction.destination + i};
            store.guard = guard;
            code.push_back(store);
        }
    }

    /// A guarded write alone would leave the rows with an unknown value before it, which lives since the kernel's start.
    void begin_value(VirtualInstruction& instruction, std::vector<VirtualInstruction>& code) {
        if (is_plain(instruction)) {
            instruction.guard = {kAlways, false};
            return;
        }
        for (unsigned i = 0; i < instruction.destination_rows; ++i) {
            VirtualInstruction clear;
            clear.machine.operation = Operation::mov;
            clear.machine.type = isa::Type::b32;
            clear.machine.line = instruction.machine.line;
            clear.source[0] = launch_row(isa::LaunchRow::zero);
            clear.destination = instruction.destination + i;
            clear.destination_rows = 1;
            code.push_back(clear);
        }
    }

    /// Rows with the values of the operand's: those of the last access, if nothing crowded lies between, or new ones.
    std::uint32_t again(const VirtualOperand& operand, std::uint32_t position, std::uint32_t line,
                        std::vector<VirtualInstruction>& code) {
        if (kept_ && !kept_->crossed && kept_->operand.index <= operand.index &&
            operand.index + operand.rows <= kept_->operand.index + kept_->operand.rows &&
            (operand.rows == 1 || operand == kept_->operand)) {
            kept_->position = position;
            return kept_->row + (operand.index - kept_->operand.index);
        }
        const std::uint32_t row =
            by_recipe_
                ? append_recipe(kernel_, recipes_.at({position, operand.index, operand.rows}), operand.index, code)
                : reload(operand, line, code);
        kept_ = Kept{operand, row, position, false};
        return row;
    }

    std::uint32_t reload(const VirtualOperand& operand, std::uint32_t line, std::vector<VirtualInstruction>& code) {
        const std::uint32_t rows = kernel_.new_rows(operand.rows);
        for (unsigned i = 0; i < operand.rows; ++i) {
            VirtualInstruction load = access(Operation::load, operand.index + i, line);
            load.destination = rows + i;
            load.destination_rows = 1;
            slot_of_[rows + i] = slot_of_.at(operand.index + i);
            code.push_back(load);
        }
        return rows;
    }

    VirtualInstruction access(Operation operation, std::uint32_t row, std::uint32_t line) {
        VirtualInstruction result;
        result.machine.operation = operation;
        result.machine.type = isa::Type::b32;
        result.machine.space = isa::Space::local;
        result.machine.offset = static_cast<std::int32_t>(slot_of_.at(row));
        result.machine.line = line;
        result.source[0] = launch_row(isa::LaunchRow::zero);
        return result;
    }

    /// A value that the last access left in registers.
    struct Kept {
        VirtualOperand operand;      ///< of the spilled group
        std::uint32_t row = 0;       ///< where it is
        std::uint32_t position = 0;  ///< of the access
        bool crossed = false;        ///< registers ran out since
    };

    VirtualKernel& kernel_;
    unsigned limit_;
    std::uint32_t originals_;
    std::vector<bool> crowded_;                       ///< by instruction
    std::map<std::uint32_t, std::uint32_t> slot_of_;  ///< row -> byte of local memory that holds its value too
    std::set<std::uint32_t> pinned_;                  ///< first rows of groups that guarded results pass through
    // Of the group that is being spilled:
    std::uint32_t first_ = 0;
    std::uint32_t end_ = 0;
    bool by_recipe_ = false;
    bool backed_ = false;  ///< it is in local memory already
    /// By position, row, rows.
    std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned>, std::vector<VirtualInstruction>> recipes_;
    std::optional<Kept> kept_;
};

}  // namespace

bool spill_registers(VirtualKernel& kernel, unsigned limit) {
    return Spiller(kernel, limit).run();
}

}  // namespace lookahead::finaliser
