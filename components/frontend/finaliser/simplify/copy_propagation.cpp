#include "components/frontend/finaliser/simplify/simplify.h"

#include <optional>
#include <unordered_map>

#include "components/frontend/finaliser/analysis/single_writes.h"

namespace lookahead::finaliser {

namespace {

/// One row's value: a virtual row or a constant row.
struct Origin {
    Operand::Kind kind = Operand::Kind::none;
    std::uint32_t index = 0;
};

VirtualOperand row_of(const VirtualOperand& operand, std::uint32_t row) {
    return {operand.kind, 1, operand.index + row};
}

/// The operand that reads the origins of all rows of an operand, if there is one: they must be consecutive, and rows
/// must be in a group as wide operands require.
template <typename OriginOf>
std::optional<VirtualOperand> through(const VirtualKernel& kernel, const VirtualOperand& operand, OriginOf origin_of) {
    if (operand.kind != Operand::Kind::reg) { return std::nullopt; }
    VirtualOperand result;
    for (std::uint32_t i = 0; i < operand.rows; ++i) {
        const std::optional<Origin> origin = origin_of(operand.index + i);
        if (!origin) { return std::nullopt; }
        if (i == 0) { result = {origin->kind, operand.rows, origin->index}; }
        if (origin->kind != result.kind || origin->index != result.index + i) { return std::nullopt; }
    }
    if (result.kind == Operand::Kind::reg && result.rows > 1) {
        const RowGroup& group = kernel.groups[kernel.group_of[result.index]];
        if (kernel.group_of[result.index + result.rows - 1] != kernel.group_of[result.index] ||
            (result.index - group.first) % alignment_of(result.rows) != 0) {
            return std::nullopt;
        }
    }
    return result;
}

/// Replaces sources by their origins; returns whether there are some.
template <typename OriginOf>
bool propagate_into(const VirtualKernel& kernel, VirtualInstruction& instruction, OriginOf origin_of) {
    bool changed = false;
    for (VirtualOperand& operand : instruction.source) {
        if (const auto better = through(kernel, operand, origin_of)) {
            operand = *better;
            changed = true;
        }
    }
    return changed;
}

/// Copies that are valid at the present place of a walk through one block.
class AvailableCopies {
  public:
    std::optional<Origin> origin(std::uint32_t row) const {
        const auto found = origins_.find(row);
        if (found == origins_.end()) { return std::nullopt; }
        return found->second;
    }

    void forget(std::uint32_t row) {
        origins_.erase(row);
        std::erase_if(origins_, [row](const auto& entry) {
            return entry.second.kind == Operand::Kind::reg && entry.second.index == row;
        });
    }

    /// Call it after `forget` of the destination. Copies between overlapping rows are not recorded.
    void record(const VirtualInstruction& copy) {
        const VirtualOperand& source = copy.source[0];
        const std::uint32_t distance = copy.destination - source.index;
        if (source.kind == Operand::Kind::reg && (distance < copy.destination_rows || -distance < source.rows)) {
            return;
        }
        for (std::uint32_t i = 0; i < copy.destination_rows; ++i) {
            origins_[copy.destination + i] = {source.kind, source.index + i};
        }
    }

  private:
    std::unordered_map<std::uint32_t, Origin> origins_;
};

bool propagate_in_block(const VirtualKernel& kernel, VirtualBlock& block) {
    AvailableCopies copies;
    bool changed = false;
    for (VirtualInstruction& instruction : block.code) {
        changed |= propagate_into(kernel, instruction, [&](std::uint32_t row) { return copies.origin(row); });
        for (std::uint32_t i = 0; i < instruction.destination_rows; ++i) { copies.forget(instruction.destination + i); }
        if (is_copy(instruction)) { copies.record(instruction); }
    }
    return changed;
}

bool propagate_globally(VirtualKernel& kernel) {
    const SingleWrites writes(kernel);
    bool changed = false;
    for_each_place(kernel, [&](VirtualInstruction& instruction, Place place) {
        changed |= propagate_into(kernel, instruction, [&](std::uint32_t row) -> std::optional<Origin> {
            const auto write = writes.place(row);
            if (!write || !is_copy(writes.at(*write)) || !writes.before(*write, place)) { return std::nullopt; }
            const VirtualInstruction& copy = writes.at(*write);
            const VirtualOperand source = row_of(copy.source[0], row - copy.destination);
            if (!writes.is_stable(source, *write)) { return std::nullopt; }
            return Origin{source.kind, source.index};
        });
    });
    return changed;
}

}  // namespace

bool propagate_copies(VirtualKernel& kernel) {
    bool changed = false;
    for (VirtualBlock& block : kernel.blocks) { changed |= propagate_in_block(kernel, block); }
    changed |= propagate_globally(kernel);
    return changed;
}

}  // namespace lookahead::finaliser
