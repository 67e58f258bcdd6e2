#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "components/isa/instruction_form.h"
#include "components/isa/kernel_frame.h"
#include "components/isa/operand.h"

namespace lookahead::finaliser {

using isa::Operand;
using isa::Operation;
using isa::Type;

/// No row, predicate or block.
inline constexpr std::uint32_t kNone = 0xffffffffU;
/// The predicate that always holds, before allocation.
inline constexpr std::uint32_t kAlways = 0xfffffffeU;

/// A source operand over virtual rows: like isa::Operand, without its limits.
struct VirtualOperand {
    isa::Operand::Kind kind = isa::Operand::Kind::none;
    std::uint8_t rows = 0;
    std::uint32_t index = 0;  ///< first virtual row, or first constant row (already final)

    friend bool operator==(const VirtualOperand&, const VirtualOperand&) = default;
};
constexpr VirtualOperand register_rows(std::uint32_t first, unsigned rows = 1) {
    return {isa::Operand::Kind::reg, static_cast<std::uint8_t>(rows), first};
}

/// A predicate that is read. `index`: a virtual predicate, kAlways, or kNone if the instruction has none.
struct PredicateUse {
    std::uint32_t index = kNone;
    bool negated = false;

    friend bool operator==(const PredicateUse&, const PredicateUse&) = default;
};

/// A machine instruction over unlimited virtual rows and predicates.
struct VirtualInstruction {
    isa::InstructionForm machine;
    std::uint32_t destination = kNone;  ///< first virtual row
    std::uint8_t destination_rows = 0;
    std::array<VirtualOperand, 4> source;
    PredicateUse guard{kAlways, false};
    std::array<PredicateUse, 2> source_predicate;
    std::array<std::uint32_t, 2> destination_predicate = {kNone, kNone};
    std::uint32_t target = kNone;       ///< branch: the block to go to
    std::uint32_t origin = kNone;       ///< the number that the instruction had when it was selected (new_origin)
    std::uint32_t annotations = kNone;  ///< index of the last one in VirtualKernel::annotations

    bool guarded() const { return guard.index != kAlways; }
    void set_destination(std::uint32_t first, unsigned rows = 1) {
        destination = first;
        destination_rows = static_cast<std::uint8_t>(rows);
    }
};

struct VirtualBlock {
    std::vector<VirtualInstruction> code;
};

/// Consecutive virtual rows that must get consecutive registers, the first at a multiple of `alignment`.
struct RowGroup {
    std::uint32_t first = 0;
    std::uint8_t rows = 1;
    std::uint8_t alignment = 1;
};

/// A mechanism's annotation of an instruction. Annotations of one instruction form a chain, from the last to the first.
struct VirtualAnnotation {
    std::string tag;
    std::int64_t value = 0;
    std::uint32_t before = kNone;
};

/// A kernel between instruction selection and allocation. Each virtual row represents one 32-bit register, so that
/// halves of wide values and elements of vectors can be named, read and written by themselves.
struct VirtualKernel {
    isa::KernelFrame frame;
    std::vector<VirtualBlock> blocks;  ///< 0 is the entry; a block that does not end in a jump falls into the next
    std::vector<RowGroup> groups;
    std::vector<std::uint32_t> group_of;  ///< virtual row -> group
    std::uint32_t predicates = 0;
    std::uint32_t origins = 0;  ///< how many numbers new_origin has given
    std::vector<VirtualAnnotation> annotations;

    std::uint32_t rows() const { return static_cast<std::uint32_t>(group_of.size()); }
    /// Makes a new group of 1 to isa::kMostOperandRows rows; returns its first row.
    std::uint32_t new_rows(unsigned count);
    std::uint32_t new_predicate() { return predicates++; }
    std::uint32_t new_origin() { return origins++; }

    /// Annotates the instruction and all instructions made from it: see isa::Annotation.
    void annotate(VirtualInstruction& instruction, std::string_view tag, std::int64_t value);
};

constexpr std::uint32_t alignment_of(std::uint32_t rows) {
    return std::bit_ceil(rows);
}

/// A new instruction without modifiers.
VirtualInstruction new_instruction(Operation operation, Type type = Type::none,
                                   std::initializer_list<VirtualOperand> sources = {});
/// A new instruction inserted for `served`, with the same origin and line.
VirtualInstruction beside(const VirtualInstruction& served, Operation operation = Operation::nop,
                          Type type = Type::none);
/// A new instruction made from `whole`, or from a part of it, with the same annotations.
VirtualInstruction part_of(const VirtualInstruction& whole);

/// Calls `visit(instruction)` for all instructions of a kernel, in the order of the code.
template <typename Kernel, typename Visit>
void for_each_instruction(Kernel& kernel, Visit visit) {
    for (auto& block : kernel.blocks) {
        for (auto& instruction : block.code) { visit(instruction); }
    }
}

/// The place of an instruction in a kernel.
struct Place {
    std::uint32_t block = kNone;
    std::uint32_t index = 0;
};

/// Calls `visit(instruction, place)` for all instructions of a kernel, in the order of the code.
template <typename Kernel, typename Visit>
void for_each_place(Kernel& kernel, Visit visit) {
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
        auto& code = kernel.blocks[block].code;
        for (std::uint32_t index = 0; index < code.size(); ++index) { visit(code[index], Place{block, index}); }
    }
}

/// Liveness and dependences treat rows and predicates alike, as units: the rows, then the predicates.
inline std::uint32_t predicate_unit(const VirtualKernel& kernel, std::uint32_t predicate) {
    return kernel.rows() + predicate;
}
inline std::uint32_t unit_count(const VirtualKernel& kernel) {
    return kernel.rows() + kernel.predicates;
}

/// Calls `visit(unit)` for every row and predicate that `instruction` reads.
template <typename Visit>
void for_each_read(const VirtualKernel& kernel, const VirtualInstruction& instruction, Visit visit) {
    for (const VirtualOperand& operand : instruction.source) {
        if (operand.kind != isa::Operand::Kind::reg) { continue; }
        for (unsigned i = 0; i < operand.rows; ++i) { visit(operand.index + i); }
    }
    for (const PredicateUse& use :
         {instruction.guard, instruction.source_predicate[0], instruction.source_predicate[1]}) {
        if (use.index < kAlways) { visit(predicate_unit(kernel, use.index)); }
    }
}

/// Calls `visit(unit)` for every row and predicate that `instruction` writes.
template <typename Visit>
void for_each_write(const VirtualKernel& kernel, const VirtualInstruction& instruction, Visit visit) {
    for (unsigned i = 0; i < instruction.destination_rows; ++i) { visit(instruction.destination + i); }
    for (std::uint32_t predicate : instruction.destination_predicate) {
        if (predicate != kNone) { visit(predicate_unit(kernel, predicate)); }
    }
}

/// Whether the instruction is a plain, unguarded copy of rows.
bool is_copy(const VirtualInstruction& instruction);
/// Whether control may go elsewhere than to the next instruction: bra, exit, trap.
bool is_jump(const VirtualInstruction& instruction);
/// Whether lanes that the instruction names execute it together (`*.sync`).
bool meets_lanes(const VirtualInstruction& instruction);
/// Whether the instruction has effects besides writing its destinations: it must stay even if they are not read.
bool has_side_effect(const VirtualInstruction& instruction);

}  // namespace lookahead::finaliser
