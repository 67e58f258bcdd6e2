#include "components/frontend/finaliser/allocate/allocate.h"

#include <algorithm>
#include <span>
#include <utility>

#include "components/frontend/finaliser/allocate/coalesce.h"
#include "components/frontend/finaliser/analysis/live_ranges.h"

namespace lookahead::finaliser {

namespace {

/// Groups with a larger alignment get registers first: earlier single values would leave no room between them.
constexpr std::uint8_t kUsualAlignment = 4;

/// The ranges in which memory accesses hold a row's register: from after the access on.
using Held = std::vector<LiveRange>;

/// The live ranges in each register of one file.
class RegisterFile {
  public:
    /// `unheld`: the number of registers among which to look for one that is not held.
    explicit RegisterFile(std::uint32_t unheld = 0) : unheld_(unheld) {}

    /// Takes the lowest aligned place where all of `wanted` are free; prefers one that no access holds at the start.
    std::uint32_t take(std::span<const RangeSet> wanted, std::uint32_t alignment, std::span<const Held> held = {}) {
        std::uint32_t base = 0;
        while (base + wanted.size() <= unheld_ && (!is_free(base, wanted) || is_held(base, wanted))) {
            base += alignment;
        }
        if (base + wanted.size() > unheld_) { base = 0; }
        while (!is_free(base, wanted)) { base += alignment; }
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i].empty()) { continue; }
            if (base + i >= taken_.size()) { taken_.resize(base + i + 1); }
            taken_[base + i].unite(wanted[i]);
        }
        if (held_.size() < base + held.size()) { held_.resize(base + held.size()); }
        for (std::size_t i = 0; i < held.size(); ++i) {
            held_[base + i].insert(held_[base + i].end(), held[i].begin(), held[i].end());
        }
        return base;
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(taken_.size()); }

  private:
    bool is_free(std::uint32_t base, std::span<const RangeSet> wanted) const {
        for (std::size_t i = 0; i < wanted.size() && base + i < taken_.size(); ++i) {
            if (taken_[base + i].overlaps(wanted[i])) { return false; }
        }
        return true;
    }

    bool is_held(std::uint32_t base, std::span<const RangeSet> wanted) const {
        for (std::size_t i = 0; i < wanted.size() && base + i < held_.size(); ++i) {
            for (const LiveRange& held : held_[base + i]) {
                for (const LiveRange& range : wanted[i].ranges()) {
                    if (held.start <= range.start && range.start < held.end) { return true; }
                }
            }
        }
        return false;
    }

    std::uint32_t unheld_;
    std::vector<RangeSet> taken_;
    std::vector<Held> held_;
};

std::uint32_t holder_of(const VirtualKernel& kernel, std::span<const Merged> merged, std::uint32_t row) {
    const std::uint32_t group = kernel.group_of[row];
    return kernel.groups[merged[group].group].first + merged[group].offset + row - kernel.groups[group].first;
}

/// By row: the ranges in which it is held, for `instructions` instructions after each access, at most to the end of the
/// block. An access's own result may take a source's register.
std::vector<Held> held_by_accesses(const VirtualKernel& kernel, std::span<const Merged> merged, unsigned instructions) {
    std::vector<Held> held(kernel.rows());
    if (instructions == 0) { return held; }
    std::uint32_t position = 0;
    for (const VirtualBlock& block : kernel.blocks) {
        const std::uint32_t end = position + static_cast<std::uint32_t>(block.code.size());
        for (const VirtualInstruction& instruction : block.code) {
            const std::uint32_t behind = ++position;
            if (!isa::is_memory(instruction.machine.operation)) { continue; }
            for (const VirtualOperand& operand : instruction.source) {
                for (std::uint32_t i = 0; operand.kind == isa::Operand::Kind::reg && i < operand.rows; ++i) {
                    held[holder_of(kernel, merged, operand.index + i)].push_back(
                        {2 * behind, 2 * std::min(end, behind + instructions)});
                }
            }
        }
    }
    return held;
}

/// The start of the first live row of a group; kNone if none ever lives.
std::uint32_t start_of(std::span<const RangeSet> rows) {
    std::uint32_t start = kNone;
    for (const RangeSet& set : rows) {
        if (!set.empty()) { start = std::min(start, set.start()); }
    }
    return start;
}

void allocate_rows(const VirtualKernel& kernel, std::vector<RangeSet> ranges, const HeldSources& hold,
                   Allocation& result) {
    const std::vector<Merged> merged = coalesce_copies(kernel, ranges);
    struct Entry {
        std::uint32_t start;
        std::uint32_t group;
    };
    std::vector<Entry> order;
    const auto rows_of_group = [&](std::uint32_t group) {
        return std::span<const RangeSet>(ranges).subspan(kernel.groups[group].first, kernel.groups[group].rows);
    };
    for (std::uint32_t group = 0; group < merged.size(); ++group) {
        if (const std::uint32_t start = start_of(rows_of_group(group));
            merged[group].group == group && start != kNone) {
            order.push_back({start, group});
        }
    }
    std::ranges::stable_sort(order, {}, [&](const Entry& entry) {
        return std::pair(kernel.groups[entry.group].alignment <= kUsualAlignment, entry.start);
    });

    const std::vector<Held> held = held_by_accesses(kernel, merged, hold.instructions);
    RegisterFile file(hold.registers);
    std::vector<std::uint32_t> base(merged.size(), 0);
    for (const Entry& entry : order) {
        const RowGroup& group = kernel.groups[entry.group];
        base[entry.group] =
            file.take(rows_of_group(entry.group), group.alignment, std::span(held).subspan(group.first, group.rows));
    }
    result.register_of.resize(kernel.rows());
    for (std::uint32_t row = 0; row < kernel.rows(); ++row) {
        const std::uint32_t group = merged[kernel.group_of[row]].group;
        result.register_of[row] = base[group] + holder_of(kernel, merged, row) - kernel.groups[group].first;
    }
    result.registers = file.size();
}

void allocate_predicates(const VirtualKernel& kernel, std::span<const RangeSet> ranges, Allocation& result) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t predicate = 0; predicate < ranges.size(); ++predicate) {
        if (!ranges[predicate].empty()) { order.push_back(predicate); }
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t predicate) { return ranges[predicate].start(); });
    RegisterFile file;
    result.predicate_of.resize(kernel.predicates);
    for (std::uint32_t predicate : order) {
        result.predicate_of[predicate] = file.take(ranges.subspan(predicate, 1), 1);
    }
    result.predicates = file.size();
}

}  // namespace

Allocation allocate(const VirtualKernel& kernel, const HeldSources& held) {
    std::vector<RangeSet> ranges = live_ranges_of(kernel);
    Allocation result;
    allocate_predicates(kernel, std::span<const RangeSet>(ranges).subspan(kernel.rows()), result);
    ranges.resize(kernel.rows());
    allocate_rows(kernel, std::move(ranges), held, result);
    return result;
}

}  // namespace lookahead::finaliser
