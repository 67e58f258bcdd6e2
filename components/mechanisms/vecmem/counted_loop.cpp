#include "components/mechanisms/vecmem/counted_loop.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "components/frontend/finaliser/code/literals.h"
#include "components/mechanisms/vecmem/block_order.h"
#include "core/mutation/rule.h"

namespace lookahead::vecmem {

namespace {

using ComparisonPairs = std::initializer_list<std::pair<Comparison, Comparison>>;

/// The other one of its pair; `alone` for a comparison in no pair.
Comparison partner(Comparison comparison, ComparisonPairs pairs, Comparison alone) {
    for (const auto& [one, other] : pairs) {
        if (comparison == one || comparison == other) { return comparison == one ? other : one; }
    }
    return alone;
}

Comparison negated(Comparison comparison) {
    using enum Comparison;
    return partner(comparison, {{lt, ge}, {le, gt}, {eq, ne}}, none);
}

/// The comparison with its operands exchanged.
Comparison turned(Comparison comparison) {
    using enum Comparison;
    return partner(comparison, {{lt, gt}, {le, ge}}, comparison);
}

class LoopReader {
  public:
    LoopReader(const VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
               const Forms& forms, LoopBody body)
        : kernel_(kernel), flow_(flow), values_(values), forms_(forms) {
        loop_.body = std::move(body);
    }

    LoopFinding run() {
        find_inductions();
        if (!find_test()) { return {Reason::induction, {}}; }
        find_rounds();
        return {Reason::none, loop_};
    }

  private:
    const std::vector<VirtualInstruction>& code() const { return loop_.body.code; }

    unsigned writes_of(const VirtualOperand& rows) const {
        unsigned count = 0;
        for (const VirtualInstruction& instruction : code()) {
            count += instruction.destination_rows != 0 && instruction.destination < rows.index + rows.rows &&
                     rows.index < instruction.destination + instruction.destination_rows;
        }
        return count;
    }
    bool is_invariant(const VirtualOperand& operand) const {
        return operand.kind == Operand::Kind::constant ||
               (operand.kind == Operand::Kind::reg && writes_of(operand) == 0);
    }

    void find_inductions() {
        for (std::uint32_t i = 0; i < code().size(); ++i) {
            if (const auto induction = induction_at(i)) { loop_.inductions.push_back(*induction); }
        }
    }

    std::optional<Induction> induction_at(std::uint32_t i) const {
        const VirtualInstruction& sum = code()[i];
        const Operation op = sum.machine.operation;
        if ((op != Operation::add && op != Operation::sub) || sum.guarded() || sum.machine.saturate ||
            !isa::is_word_or_pair(sum.machine.type) || sum.destination_predicate[0] != kNone) {
            return std::nullopt;
        }
        const finaliser::RowGroup& group = kernel_.groups[kernel_.group_of[sum.destination]];
        const VirtualOperand whole{Operand::Kind::reg, sum.destination_rows, sum.destination};
        if (group.first != sum.destination || group.rows != sum.destination_rows || writes_of(whole) != 1) {
            return std::nullopt;
        }
        for (std::size_t side : {0U, 1U}) {
            if (sum.source[side] != whole || (op == Operation::sub && side != 0)) { continue; }
            const VirtualOperand& step = sum.source[1 - side];
            if (step.rows != whole.rows || !is_invariant(step)) { continue; }
            Induction induction{whole.index, whole.rows, sum.machine.type, i, std::nullopt, step};
            if (const auto value = finaliser::literal_value(kernel_.frame, step)) {
                const std::int64_t number =
                    whole.rows == 1 ? static_cast<std::int32_t>(*value) : static_cast<std::int64_t>(*value);
                induction.literal = op == Operation::add ? number : -number;
            } else if (op == Operation::sub) {
                continue;
            }
            return induction;
        }
        return std::nullopt;
    }

    bool find_test() {
        const VirtualInstruction& branch = code().back();
        std::uint32_t tests = 0;
        for (std::uint32_t i = 0; i < code().size(); ++i) {
            for (std::uint32_t predicate : code()[i].destination_predicate) {
                if (predicate == branch.guard.index) { loop_.test = i, ++tests; }
            }
        }
        if (tests != 1) { return false; }
        const VirtualInstruction& test = code()[loop_.test];
        if (test.machine.operation != Operation::setp || test.guarded() || test.machine.combine != isa::Combine::none ||
            !isa::is_word_or_pair(test.machine.type) || test.machine.mode != 0) {
            return false;
        }
        const bool complement = test.destination_predicate[0] != branch.guard.index;
        for (const VirtualInstruction& other : code()) {
            for (std::uint32_t predicate : test.destination_predicate) {
                if (&other != &branch && predicate != kNone &&
                    (other.guard.index == predicate || other.source_predicate[0].index == predicate ||
                     other.source_predicate[1].index == predicate)) {
                    loop_.test_is_read = true;
                }
            }
        }
        loop_.type = test.machine.type;
        loop_.comparison = test.machine.comparison;
        if (complement != branch.guard.negated) { loop_.comparison = negated(loop_.comparison); }
        for (std::size_t side : {0U, 1U}) {
            if (!is_invariant(test.source[1 - side])) { continue; }
            for (const Induction& induction : loop_.inductions) {
                const VirtualOperand whole{Operand::Kind::reg, induction.rows, induction.row};
                if (test.source[side] != whole || induction.update > loop_.test) { continue; }
                loop_.counter = induction;
                loop_.bound = test.source[1 - side];
                if (side == 1) { loop_.comparison = turned(loop_.comparison); }
                return is_counted();
            }
        }
        return false;
    }

    /// Whether the counter ends the rounds, counting up or down to the bound.
    bool is_counted() const {
        const auto& literal = loop_.counter.literal;
        switch (loop_.comparison) {
            case Comparison::lt:
            case Comparison::le:
                if (!literal) { return loop_.counter.rows == 1; }
                return *literal > 0;
            case Comparison::gt:
            case Comparison::ge:
                return literal && *literal < 0;
            case Comparison::ne:
                return literal && *literal != 0;
            default:
                return false;
        }
    }

    void find_rounds() {
        const auto bound = finaliser::literal_value(kernel_.frame, loop_.bound);
        const auto first = first_value();
        if (!bound || !first || !loop_.counter.literal || loop_.counter.rows != 1) { return; }
        const auto number = [&](std::uint64_t word) {
            return loop_.type == Type::s32 ? std::int64_t{static_cast<std::int32_t>(word)}
                                           : std::int64_t{static_cast<std::uint32_t>(word)};
        };
        std::int64_t far = number(*bound) - number(*first);
        std::int64_t step = *loop_.counter.literal;
        if (step < 0) { far = -far, step = -step; }
        const bool beyond = loop_.comparison == Comparison::le || loop_.comparison == Comparison::ge;
        // The test follows the body, so there is at least one round.
        if (loop_.comparison == Comparison::ne && (far <= 0 || far % step != 0)) { return; }
        loop_.rounds = static_cast<std::uint64_t>(std::max<std::int64_t>((far + (beyond ? step : step - 1)) / step, 1));
    }

    /// The counter's value when the loop is entered, if it is one known number.
    std::optional<std::uint64_t> first_value() const {
        const ValueId id = values_.reads(loop_.body.from[loop_.counter.update])
                               .source[code()[loop_.counter.update].source[0].index == loop_.counter.row &&
                                               code()[loop_.counter.update].source[0].kind == Operand::Kind::reg
                                           ? 0
                                           : 1][0];
        const Value& value = values_[id];
        if (value.kind != Value::Kind::join || value.at.block != loop_.body.header) { return std::nullopt; }
        std::optional<std::uint64_t> first;
        const auto& before = flow_.predecessors(loop_.body.header);
        for (std::size_t i = 0; i < value.inputs.size(); ++i) {
            if (i < before.size() && before[i] == loop_.body.latch) { continue; }
            const Form form = forms_.value(value.inputs[i], kNoValue);
            if (!form.is_constant() || (first && *first != form.constant())) { return std::nullopt; }
            first = form.constant();
        }
        return first;
    }

    const VirtualKernel& kernel_;
    const finaliser::Flow& flow_;
    const finaliser::Values& values_;
    const Forms& forms_;
    CountedLoop loop_;
};

/// Whether an instruction in the block keeps the loop from being unrolled.
bool holds_rounds(const VirtualKernel& kernel, std::uint32_t block) {
    return std::ranges::any_of(kernel.blocks[block].code, [](const VirtualInstruction& instruction) {
        const Operation op = instruction.machine.operation;
        if (LOOKAHEAD_RULE(atomics_keep_loops) && (op == Operation::atomic || op == Operation::reduce)) { return true; }
        return LOOKAHEAD_RULE(parted_loops_stay) && op != Operation::bra && parts_accesses(instruction);
    });
}

}  // namespace

LoopFinding counted_loop(const VirtualKernel& kernel, const LoopBodies& bodies, const finaliser::Values& values,
                         const Forms& forms, std::uint32_t header, VirtualKernel& names) {
    for (std::uint32_t block : bodies.blocks(header)) {
        if (holds_rounds(kernel, block)) { return {Reason::loop_code, {}}; }
    }
    std::optional<LoopBody> body = bodies.find(header, names);
    if (!body) { return {Reason::control, {}}; }
    return LoopReader(kernel, bodies.flow(), values, forms, std::move(*body)).run();
}

}  // namespace lookahead::vecmem
