#include "components/mechanisms/dac/streams.h"

#include <algorithm>
#include <optional>

#include "components/frontend/finaliser/code/literals.h"
#include "components/mechanisms/dac/classes.h"

namespace lookahead::dac {

using finaliser::part_of;
using isa::Comparison;

namespace {

/// A test for 0 of a union (a | b) concerns both numbers; of an intersection, it says nothing about either.
bool asks_for_zero(Comparison comparison) {
    return comparison == Comparison::eq || comparison == Comparison::ne;
}

/// Whether one part suffices for a union and both are needed for an intersection; for other tests it is vice versa.
bool one_part_is_enough(Comparison comparison) {
    return comparison == Comparison::lt || comparison == Comparison::ne;
}

/// The comparison with 0 if the instruction tests the sign of `x` (lt or ge) or whether `x` is 0.
std::optional<Comparison> zero_test(const VirtualKernel& kernel, const VirtualInstruction& instruction) {
    const isa::InstructionForm& machine = instruction.machine;
    if (machine.operation != Operation::setp || machine.combine != isa::Combine::none || instruction.guarded() ||
        !isa::is_word_or_pair(machine.type) || machine.mode != 0 || instruction.destination_predicate[1] != kNone) {
        return std::nullopt;
    }
    const auto literal = finaliser::literal_value(kernel.frame, instruction.source[1]);
    if (literal == 0U && asks_for_zero(machine.comparison)) { return machine.comparison; }
    if (machine.type != Type::s32 && machine.type != Type::s64) { return std::nullopt; }
    const std::uint64_t minus_one = machine.type == Type::s64 ? ~std::uint64_t{0} : 0xffffffffU;
    if (literal == 0U && (machine.comparison == Comparison::lt || machine.comparison == Comparison::ge)) {
        return machine.comparison;
    }
    if (literal == minus_one && machine.comparison == Comparison::le) { return Comparison::lt; }
    if (literal == minus_one && machine.comparison == Comparison::gt) { return Comparison::ge; }
    return std::nullopt;
}

/// Whether no instruction between these two of the block writes the rows of `operand`.
bool keeps(const finaliser::VirtualBlock& block, std::uint32_t from, std::uint32_t to, const VirtualOperand& operand) {
    if (operand.kind != isa::Operand::Kind::reg) { return true; }
    return std::none_of(block.code.begin() + from, block.code.begin() + to, [&](const VirtualInstruction& between) {
        return between.destination_rows != 0 && between.destination < operand.index + operand.rows &&
               operand.index < between.destination + between.destination_rows;
    });
}

class Splitter {
  public:
    Splitter(VirtualKernel& kernel, bool reports)
        : kernel_(kernel), flow_(kernel), values_(kernel, flow_), classes_(kernel, flow_, values_, reports) {}

    bool run() {
        bool changed = false;
        for (std::uint32_t block : flow_.order()) {
            // From the end, so that insertions do not move instructions that are still to be examined.
            for (auto index = static_cast<std::uint32_t>(kernel_.blocks[block].code.size()); index-- > 0;) {
                changed |= split({block, index});
            }
        }
        return changed;
    }

  private:
    /// The union in the same block that defines the source; `or_alone`: no intersection.
    std::optional<Position> union_at(Position at, std::size_t source, bool or_alone) const {
        const VirtualOperand& operand = kernel_.blocks[at.block].code[at.index].source[source];
        if (operand.kind != isa::Operand::Kind::reg) { return std::nullopt; }
        const Value& value = values_[values_.reads(at).source[source][0]];
        if (value.kind != Value::Kind::definition || value.word != 0 || value.at.block != at.block) {
            return std::nullopt;
        }
        const VirtualInstruction& united = kernel_.blocks[at.block].code[value.at.index];
        const bool unites = united.machine.operation == Operation::bit_or ||
                            (!or_alone && united.machine.operation == Operation::bit_and);
        if (!unites || united.guarded() || united.destination_rows != operand.rows) { return std::nullopt; }
        return value.at;
    }

    /// Whether both sources of the union are affine, or such unions, and still hold their values at the test.
    bool is_affine(Position united, Position test, bool or_alone) const {
        for (std::size_t i = 0; i < 2; ++i) {
            if (!keeps(kernel_.blocks[test.block], united.index, test.index,
                       kernel_.blocks[united.block].code[united.index].source[i])) {
                return false;
            }
            if (classes_.operand(united, i).kind != Kind::other) { continue; }
            const auto inner = union_at(united, i, or_alone);
            if (!inner || !is_affine(*inner, test, or_alone)) { return false; }
        }
        return true;
    }

    bool split(Position at) {
        auto& block = kernel_.blocks[at.block];
        const VirtualInstruction test = block.code[at.index];
        const auto comparison = zero_test(kernel_, test);
        if (!comparison || test.source[0].kind != isa::Operand::Kind::reg || !classes_.followed(at.block)) {
            return false;
        }
        const bool or_alone = asks_for_zero(*comparison);
        const auto found = union_at(at, 0, or_alone);
        if (!found || !is_affine(*found, at, or_alone)) { return false; }
        const VirtualInstruction united = block.code[found->index];
        const bool is_or = united.machine.operation == Operation::bit_or;

        VirtualInstruction first = part_of(united);
        first.machine.operation = Operation::setp;
        first.machine.type = test.machine.type;
        first.machine.comparison = *comparison;
        first.source[0] = united.source[0];
        first.source[1] = finaliser::literal(kernel_.frame, 0, test.source[0].rows);
        first.destination_predicate = {kernel_.new_predicate(), kNone};
        VirtualInstruction second = test;
        second.machine.comparison = *comparison;
        second.machine.combine =
            is_or == one_part_is_enough(*comparison) ? isa::Combine::bit_or : isa::Combine::bit_and;
        second.source[0] = united.source[1];
        second.source[1] = first.source[1];
        second.source_predicate[0] = {first.destination_predicate[0], false};
        block.code[at.index] = second;
        block.code.insert(block.code.begin() + at.index, first);
        return true;
    }

    VirtualKernel& kernel_;
    Flow flow_;
    Values values_;
    Classes classes_;
};

}  // namespace

void split_sign_tests(VirtualKernel& kernel, bool reports) {
    // The parts of a union of three are unions themselves.
    while (Splitter(kernel, reports).run()) {}
}

}  // namespace lookahead::dac
