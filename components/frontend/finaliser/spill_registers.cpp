#include "components/frontend/finaliser/spill_registers.h"

#include <algorithm>
#include <optional>
#include <span>

#include "components/frontend/finaliser/allocate.h"
#include "components/frontend/finaliser/dependences.h"
#include "components/frontend/finaliser/literals.h"
#include "components/frontend/finaliser/live_ranges.h"

namespace lookahead::finaliser {

using isa::Operand;
using isa::Operation;

namespace {

bool reads_only_constants(const VirtualInstruction& instruction) {
    return std::ranges::all_of(instruction.source,
                               [](const VirtualOperand& operand) { return operand.kind != Operand::Kind::reg; });
}

/// Whether nothing but the destination tells that the instruction ran.
bool is_plain(const VirtualInstruction& instruction) {
    switch (instruction.machine.operation) {
        case Operation::load:
        case Operation::shuffle:
        case Operation::vote:
        case Operation::match:
        case Operation::activemask:
        case Operation::redux:
            return false;
        default:
            return !has_side_effect(instruction) &&
                   std::ranges::all_of(instruction.destination_predicate,
                                       [](std::uint32_t predicate) { return predicate == kNone; });
    }
}

/// Whether executing the instruction elsewhere gives the same value: it has no other input than constants and its own
/// thread, and no other effect.
bool can_be_repeated(const VirtualInstruction& instruction) {
    return !instruction.guarded() && is_plain(instruction) && !holds_everything(instruction) &&
           reads_only_constants(instruction) && instruction.source_predicate[0].index == kNone &&
           instruction.source_predicate[1].index == kNone;
}

/// The guard would be gone when the result is stored.
bool overwrites_its_guard(const VirtualInstruction& instruction) {
    return instruction.guarded() && std::ranges::find(instruction.destination_predicate, instruction.guard.index) !=
                                        instruction.destination_predicate.end();
}

/// What is known about a group of rows.
struct GroupUse {
    double accesses = 0;  ///< each weighed by how often its block may run
    unsigned writes = 0;
    const VirtualInstruction* writer = nullptr;
    bool fixed = false;  ///< cannot be spilled
};

class Spiller {
  public:
    Spiller(VirtualKernel& kernel, unsigned limit)
        : kernel_(kernel), limit_(limit), originals_(static_cast<std::uint32_t>(kernel.groups.size())) {}

    bool run() {
        for (;;) {
            const Allocation allocation = allocate(kernel_);
            if (allocation.registers <= limit_) return true;
            const std::vector<std::uint32_t> victims = choose(allocation);
            if (victims.empty()) return false;
            for (std::uint32_t group : victims) spill(group);
        }
    }

  private:
    /// Blocks are in the order of the program, in which a loop's are neighbours.
    std::vector<double> block_weights() const {
        std::vector<double> weights(kernel_.blocks.size(), 1);
        for (std::uint32_t block = 0; block < kernel_.blocks.size(); ++block)
            for (const VirtualInstruction& instruction : kernel_.blocks[block].code)
                if (instruction.target != kNone && instruction.target <= block)
                    for (std::uint32_t inside = instruction.target; inside <= block; ++inside) weights[inside] *= 10;
        return weights;
    }

    std::vector<GroupUse> uses_of_groups() const {
        std::vector<GroupUse> uses(kernel_.groups.size());
        const std::vector<double> weights = block_weights();
        for (std::size_t block = 0; block < kernel_.blocks.size(); ++block)
            for (const VirtualInstruction& instruction : kernel_.blocks[block].code) {
                for (const VirtualOperand& operand : instruction.source)
                    if (operand.kind == Operand::Kind::reg)
                        uses[kernel_.group_of[operand.index]].accesses += weights[block] * operand.rows;
                if (instruction.destination_rows == 0) continue;
                GroupUse& written = uses[kernel_.group_of[instruction.destination]];
                written.accesses += weights[block] * instruction.destination_rows;
                ++written.writes;
                written.writer = &instruction;
                written.fixed |= overwrites_its_guard(instruction);
            }
        return uses;
    }

    std::span<const RangeSet> rows_of(const std::vector<RangeSet>& ranges, std::uint32_t group) const {
        return std::span(ranges).subspan(kernel_.groups[group].first, kernel_.groups[group].rows);
    }

    static bool overlap(std::span<const RangeSet> a, std::span<const RangeSet> b) {
        for (const RangeSet& one : a)
            for (const RangeSet& other : b)
                if (one.overlaps(other)) return true;
        return false;
    }

    /// One victim for each place where registers run out, the cheapest for the room that it makes.
    std::vector<std::uint32_t> choose(const Allocation& allocation) const {
        const std::vector<RangeSet> ranges = live_ranges_of(kernel_);
        const std::vector<GroupUse> uses = uses_of_groups();
        std::vector<std::uint32_t> victims;
        for (std::uint32_t group = 0; group < kernel_.groups.size(); ++group) {
            if (!is_beyond_limit(allocation, ranges, group)) continue;
            const auto crowded = rows_of(ranges, group);
            const auto relieves = [&](std::uint32_t victim) { return overlap(rows_of(ranges, victim), crowded); };
            if (std::ranges::any_of(victims, relieves)) continue;
            double best_gain = 0;
            std::optional<std::uint32_t> best;
            for (std::uint32_t candidate = 0; candidate < originals_; ++candidate) {
                const double gain = gain_of(ranges, uses, candidate);
                if (gain <= best_gain || !relieves(candidate)) continue;
                best_gain = gain;
                best = candidate;
            }
            if (best) victims.push_back(*best);
        }
        return victims;
    }

    bool is_beyond_limit(const Allocation& allocation, const std::vector<RangeSet>& ranges, std::uint32_t group) const {
        const RowGroup& rows = kernel_.groups[group];
        for (std::uint32_t row = rows.first; row < rows.first + rows.rows; ++row)
            if (!ranges[row].empty() && allocation.register_of[row] >= limit_) return true;
        return false;
    }

    /// Instructions during which registers become free, by access that becomes an access to memory.
    double gain_of(const std::vector<RangeSet>& ranges, const std::vector<GroupUse>& uses, std::uint32_t group) const {
        if (uses[group].fixed) return 0;
        double length = 0;
        for (const RangeSet& row : rows_of(ranges, group))
            for (const LiveRange& range : row.ranges()) length += range.end - range.start;
        return length / (1 + uses[group].accesses);
    }

    void spill(std::uint32_t group) {
        const GroupUse use = uses_of_groups()[group];
        const RowGroup& rows = kernel_.groups[group];
        first_ = rows.first;
        end_ = rows.first + rows.rows;
        repeated_.reset();
        if (use.writes == 1 && use.writer->destination_rows == rows.rows && can_be_repeated(*use.writer)) {
            repeated_ = *use.writer;
        } else {
            slot_ = kernel_.frame.local_bytes;
            kernel_.frame.local_bytes += 4U * rows.rows;
            kernel_.frame.spill_bytes += 4U * rows.rows;
        }
        for (VirtualBlock& block : kernel_.blocks) {
            std::vector<VirtualInstruction> code;
            for (const VirtualInstruction& instruction : block.code) rewrite(instruction, code);
            block.code = std::move(code);
        }
    }

    bool is_spilled(std::uint32_t row) const { return row >= first_ && row < end_; }

    void rewrite(VirtualInstruction instruction, std::vector<VirtualInstruction>& code) {
        const bool writes = instruction.destination_rows != 0 && is_spilled(instruction.destination);
        if (writes && repeated_) return;
        const std::array<VirtualOperand, 3> before = instruction.source;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (before[i].kind != Operand::Kind::reg || !is_spilled(before[i].index)) continue;
            const auto same = std::find(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(i), before[i]);
            const auto earlier = static_cast<std::size_t>(same - before.begin());
            instruction.source[i].index =
                earlier < i ? instruction.source[earlier].index : reload(before[i], instruction.machine.line, code);
        }
        if (!writes) {
            code.push_back(instruction);
            return;
        }
        const std::uint32_t written = instruction.destination;
        instruction.destination = kernel_.new_rows(instruction.destination_rows);
        const PredicateUse guard = instruction.guard;
        if (instruction.guarded()) begin_value(instruction, code);
        code.push_back(instruction);
        for (unsigned i = 0; i < instruction.destination_rows; ++i) {
            VirtualInstruction store = access(Operation::store, written + i, instruction.machine.line);
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

    /// New rows with the values of the operand's.
    std::uint32_t reload(const VirtualOperand& operand, std::uint32_t line, std::vector<VirtualInstruction>& code) {
        if (repeated_) {
            VirtualInstruction again = *repeated_;
            again.destination = kernel_.new_rows(again.destination_rows);
            code.push_back(again);
            return again.destination + (operand.index - first_);
        }
        const std::uint32_t rows = kernel_.new_rows(operand.rows);
        for (unsigned i = 0; i < operand.rows; ++i) {
            VirtualInstruction load = access(Operation::load, operand.index + i, line);
            load.destination = rows + i;
            load.destination_rows = 1;
            code.push_back(load);
        }
        return rows;
    }

    VirtualInstruction access(Operation operation, std::uint32_t row, std::uint32_t line) {
        VirtualInstruction result;
        result.machine.operation = operation;
        result.machine.type = isa::Type::b32;
        result.machine.space = isa::Space::local;
        result.machine.offset = static_cast<std::int32_t>(slot_ + 4 * (row - first_));
        result.machine.line = line;
        result.source[0] = launch_row(isa::LaunchRow::zero);
        return result;
    }

    VirtualKernel& kernel_;
    unsigned limit_;
    std::uint32_t originals_;  ///< groups that are not themselves made by spilling
    std::uint32_t first_ = 0;  ///< rows of the group that is being spilled
    std::uint32_t end_ = 0;
    std::uint32_t slot_ = 0;  ///< in local memory
    std::optional<VirtualInstruction> repeated_;
};

void count(const isa::Instruction& instruction, bool constant_address, const isa::Kernel& frame,
           SpillInstructions& counts) {
    const auto first = static_cast<std::int64_t>(frame.local_bytes) - frame.spill_bytes;
    if (instruction.space != isa::Space::local || !constant_address || instruction.offset < first) return;
    counts.loads += instruction.operation == Operation::load;
    counts.stores += instruction.operation == Operation::store;
}

}  // namespace

bool spill_registers(VirtualKernel& kernel, unsigned limit) {
    return Spiller(kernel, limit).run();
}

SpillInstructions spill_instructions(const isa::Kernel& kernel) {
    SpillInstructions counts;
    for (const isa::Instruction& instruction : kernel.code)
        count(instruction, instruction.source[0].kind == Operand::Kind::constant, kernel, counts);
    return counts;
}

SpillInstructions spill_instructions(const VirtualKernel& kernel) {
    SpillInstructions counts;
    for (const VirtualBlock& block : kernel.blocks)
        for (const VirtualInstruction& instruction : block.code)
            count(instruction.machine, instruction.source[0].kind == Operand::Kind::constant, kernel.frame, counts);
    return counts;
}

}  // namespace lookahead::finaliser
