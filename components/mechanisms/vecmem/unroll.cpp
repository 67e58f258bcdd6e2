#include "components/mechanisms/vecmem/unroll.h"

#include <algorithm>
#include <limits>
#include <map>

#include "components/frontend/finaliser/code/literals.h"
#include "components/frontend/finaliser/simplify/simplify.h"
#include "components/mechanisms/vecmem/kept_values.h"
#include "core/mutation/rule.h"

namespace lookahead::vecmem {

using finaliser::beside;
using finaliser::part_of;

namespace {

__extension__ using Wide = __int128;

Wide least_of(Type type) {
    if (type == Type::s32) { return std::numeric_limits<std::int32_t>::min(); }
    if (type == Type::s64) { return std::numeric_limits<std::int64_t>::min(); }
    return 0;
}
Wide most_of(Type type) {
    if (type == Type::s32) { return std::numeric_limits<std::int32_t>::max(); }
    if (type == Type::s64) { return std::numeric_limits<std::int64_t>::max(); }
    return isa::is_pair(type) ? Wide{std::numeric_limits<std::uint64_t>::max()}
                              : Wide{std::numeric_limits<std::uint32_t>::max()};
}
Wide number_of(std::uint64_t bits, Type type) {
    if (type == Type::s32) { return static_cast<std::int32_t>(bits); }
    if (type == Type::s64) { return static_cast<std::int64_t>(bits); }
    return isa::is_pair(type) ? bits : static_cast<std::uint32_t>(bits);
}

Type unsigned_of(Type type) {
    return isa::is_pair(type) ? Type::u64 : Type::u32;
}

/// How far the counter moves in the rounds after the first: (factor - 1) x step, unsigned.
std::optional<std::uint64_t> way(const CountedLoop& loop, unsigned factor) {
    if (!loop.counter.literal) { return std::nullopt; }
    const Wide step = *loop.counter.literal;
    const Wide whole = (step < 0 ? -step : step) * (factor - 1);
    return whole <= std::numeric_limits<std::int32_t>::max() ? std::optional(static_cast<std::uint64_t>(whole))
                                                             : std::nullopt;
}

/// The bound for the counter's value before `factor` rounds, such that all their tests but the last hold: bound -
/// (factor - 1) x step. It must be representable in the counter's type.
std::optional<Wide> known_bound(const VirtualKernel& kernel, const CountedLoop& loop, unsigned factor) {
    const auto bound = finaliser::literal_value(kernel.frame, loop.bound);
    if (!bound || !loop.counter.literal) { return std::nullopt; }
    return number_of(*bound, loop.type) - Wide{*loop.counter.literal} * (factor - 1);
}

bool is_number_of(Wide value, Type type) {
    return value >= least_of(type) && value <= most_of(type);
}

class Unroller {
  public:
    Unroller(VirtualKernel& kernel, const CountedLoop& loop, unsigned factor, bool checks_words,
             const UnrolledLoop* fewer)
        : kernel_(kernel),
          loop_(loop),
          factor_(factor),
          body_(loop.body.code),
          unrolled_(fewer == nullptr ? as_it_was(loop.body) : *fewer) {
        unrolled_.exact.clear();
        if (checks_words) { words_ = extended_inductions(loop); }
    }

    UnrolledLoop run() {
        make_room();
        write_entry();
        write_rounds();
        write_rest();
        const std::uint32_t rounds[] = {unrolled_.rounds};
        finaliser::rename_values_of_blocks(kernel_, rounds);
        set_exact();
        return unrolled_;
    }

  private:
    static UnrolledLoop as_it_was(const LoopBody& body) {
        UnrolledLoop loop;
        loop.entry = loop.next = loop.scalar = body.header;
        loop.scalar_blocks = body.latch - body.header + 1;
        return loop;
    }

    const VirtualInstruction& branch() const { return body_.back(); }
    VirtualOperand counter() const { return {Operand::Kind::reg, loop_.counter.rows, loop_.counter.row}; }

    void make_room() {
        const std::uint32_t block = unrolled_.entry;
        const auto goes_back = [&](std::uint32_t at, std::uint32_t target) {
            return target == unrolled_.scalar && at >= target && at < target + unrolled_.scalar_blocks;
        };
        for (std::uint32_t at = 0; at < kernel_.blocks.size(); ++at) {
            for (VirtualInstruction& instruction : kernel_.blocks[at].code) {
                if (instruction.machine.operation == Operation::bra &&
                    (instruction.target > block || goes_back(at, instruction.target))) {
                    instruction.target += kUnrolledBlocks;
                }
            }
        }
        kernel_.blocks.insert(kernel_.blocks.begin() + block, kUnrolledBlocks, VirtualBlock{});
        unrolled_.checks = block + 1;
        unrolled_.rounds = block + 2;
        unrolled_.rest = block + 3;
        unrolled_.next = block + kUnrolledBlocks;
        unrolled_.scalar += kUnrolledBlocks;
    }

    void write_entry() {
        BlockWriter entry(kernel_, unrolled_.entry, branch());
        std::uint32_t valid = kNone;
        if (loop_.comparison != Comparison::ne) { valid = write_bound(entry); }
        entry.leave_unless(enough(entry, valid), unrolled_.next);
        BlockWriter checks(kernel_, unrolled_.checks, branch());
        for (const Induction& induction : loop_.inductions) {
            if (induction.literal) { continue; }
            const auto same = std::ranges::find(loop_.inductions, induction.step, &Induction::step);
            const auto found = far_.find(same->row);
            const VirtualOperand far = found != far_.end()
                                           ? found->second
                                           : checks.compute(Operation::mul_lo, induction.type, induction.step,
                                                            checks.literal(factor_, induction.rows));
            far_.insert_or_assign(induction.row, far);
        }
        check_words(checks);
    }

    /// A word stays from 0 to the greatest signed number if it does so at first and after as many steps as the counter
    /// has numbers before its bound, or, if its own step is unknown, as such steps reach it: no fewer than rounds.
    void check_words(BlockWriter& writer) {
        if (words_.empty()) { return; }
        const bool up = !loop_.counter.literal || *loop_.counter.literal > 0;
        VirtualOperand rounds = up ? writer.compute(Operation::sub, Type::u32, loop_.bound, counter())
                                   : writer.compute(Operation::sub, Type::u32, counter(), loop_.bound);
        std::uint32_t fits = writer.compare(Comparison::ge, Type::s32, rounds, writer.literal(0, 1));
        if (!loop_.counter.literal) {  // which counts up, or the rounds are not entered
            const VirtualOperand whole = writer.compute(Operation::div, Type::u32, rounds, loop_.counter.step);
            rounds = writer.compute(Operation::add, Type::u32, whole, writer.literal(1, 1));
        }
        for (const Induction& word : words_) {
            const VirtualOperand first{Operand::Kind::reg, 1, word.row};
            const VirtualOperand wide = writer.compute(Operation::convert, Type::s64, first, {}, {}, Type::s32);
            const VirtualOperand last =
                writer.compute(Operation::mad_wide, Type::s64, rounds, step_of(word), wide, Type::s32);
            fits = writer.compare(Comparison::ge, Type::s32, first, writer.literal(0, 1), fits);
            fits = writer.compare(Comparison::le, Type::u64, last, writer.literal(0x7fffffff, 2), fits);
        }
        writer.leave_unless(fits, unrolled_.next);
    }

    /// Sets `bound_`; returns a predicate that says whether it is valid, or none if it always is.
    std::uint32_t write_bound(BlockWriter& writer) {
        const unsigned rows = loop_.counter.rows;
        if (const auto known = known_bound(kernel_, loop_, factor_)) {
            bound_ = writer.literal(static_cast<std::uint64_t>(*known), rows);
            return kNone;
        }
        if (const auto whole = way(loop_, factor_)) {
            const bool up = *loop_.counter.literal > 0;
            const Wide edge = up ? least_of(loop_.type) + Wide{*whole} : most_of(loop_.type) - Wide{*whole};
            bound_ = writer.compute(Operation::add, loop_.type, loop_.bound,
                                    writer.literal(up ? ~*whole + 1 : *whole, rows));
            return writer.compare(up ? Comparison::ge : Comparison::le, loop_.type, loop_.bound,
                                  writer.literal(static_cast<std::uint64_t>(edge), rows));
        }
        return write_bound_of_unknown_step(writer);
    }

    /// An unknown step must be at least 1, and (factor - 1) steps must be a signed number; else the loop stays. Then
    /// the bound minus so many steps is below the bound, unless it wraps; with a step of 0 it is not.
    std::uint32_t write_bound_of_unknown_step(BlockWriter& writer) {
        const VirtualOperand& step = loop_.counter.step;
        const std::uint32_t most = std::numeric_limits<std::int32_t>::max() / std::int32_t(factor_ - 1);
        const std::uint32_t valid = writer.compare(Comparison::le, Type::u32, step, writer.literal(most, 1));
        const VirtualOperand whole = writer.compute(Operation::mul_lo, Type::u32, step, writer.literal(factor_ - 1, 1));
        bound_ = writer.compute(Operation::sub, loop_.type, loop_.bound, whole);
        return writer.compare(Comparison::lt, loop_.type, bound_, loop_.bound, valid);
    }

    /// Whether `factor_` rounds are left from the counter's present value.
    std::uint32_t enough(BlockWriter& writer, std::uint32_t valid) {
        if (loop_.comparison != Comparison::ne) {
            return writer.compare(loop_.comparison, loop_.type, counter(), bound_, valid);
        }
        const bool up = *loop_.counter.literal > 0;
        const bool to_zero = finaliser::literal_value(kernel_.frame, loop_.bound) == 0U;
        const Type type = unsigned_of(loop_.type);
        VirtualOperand left = counter();
        if (up) {
            left = writer.compute(Operation::sub, type, loop_.bound, counter());
        } else if (!to_zero) {
            left = writer.compute(Operation::sub, type, counter(), loop_.bound);
        }
        return writer.compare(Comparison::gt, type, left, writer.literal(*way(loop_, factor_), loop_.counter.rows),
                              valid);
    }

    const Induction* induction_at(std::uint32_t index) const {
        const auto found = std::ranges::find(loop_.inductions, index, &Induction::update);
        return found == loop_.inductions.end() ? nullptr : &*found;
    }

    void write_rounds() {
        auto& code = kernel_.blocks[unrolled_.rounds].code;
        const std::vector<VirtualInstruction>& body = body_;
        std::map<std::uint32_t, std::uint32_t> now;  // an induction's row -> the row with its value
        for (const Induction& induction : loop_.inductions) { now[induction.row] = induction.row; }
        for (unsigned round = 0; round < factor_; ++round) {
            for (std::uint32_t index = 0; index + 1 < body.size(); ++index) {
                if (index == loop_.test && !loop_.test_is_read) { continue; }
                VirtualInstruction copy = body[index];
                if (!address_from_first(copy, now)) {
                    for (VirtualOperand& operand : copy.source) { follow(operand, now); }
                }
                if (const Induction* induction = induction_at(index)) {
                    advance(copy, *induction, round, now);
                    added_[induction->row] += induction->literal.value_or(0);
                }
                code.push_back(copy);
            }
        }
        unrolled_.round_size = static_cast<std::uint32_t>(code.size() / factor_);
        BlockWriter writer(kernel_, unrolled_.rounds, branch());
        const std::uint32_t again = enough(writer, kNone);
        code.push_back(part_of(branch()));
        code.back().machine = branch().machine;
        code.back().guard = {again, false};
        code.back().target = unrolled_.rounds;
    }

    /// A pointer with a known increment stays in its first row, and the accumulated increments go to the access's
    /// offset: usually no other instruction needs the pointer's sums. Returns false if the access has no such pointer.
    bool address_from_first(VirtualInstruction& access, const std::map<std::uint32_t, std::uint32_t>& now) const {
        if (!isa::is_memory(access.machine.operation)) { return false; }
        for (const Induction& induction : loop_.inductions) {
            const VirtualOperand whole{Operand::Kind::reg, induction.rows, induction.row};
            if (!induction.literal || access.source[0] != whole || now.at(induction.row) == induction.row) { continue; }
            const std::int64_t offset = access.machine.offset + added_.at(induction.row);
            if (offset != static_cast<std::int32_t>(offset)) { return false; }
            for (std::size_t i = 1; i < access.source.size(); ++i) { follow(access.source[i], now); }
            access.machine.offset = static_cast<std::int32_t>(offset);
            return true;
        }
        return false;
    }

    void follow(VirtualOperand& operand, const std::map<std::uint32_t, std::uint32_t>& now) const {
        if (operand.kind != Operand::Kind::reg) { return; }
        for (const Induction& induction : loop_.inductions) {
            if (operand.index >= induction.row && operand.index < induction.row + induction.rows) {
                operand.index = now.at(induction.row) + (operand.index - induction.row);
            }
        }
    }

    /// A known step is added, times the number of rounds, to the row's first value; an unknown step is added to the
    /// value of the previous round. The last round adds all at once, so the sums between serve only their readers.
    void advance(VirtualInstruction& sum, const Induction& induction, unsigned round,
                 std::map<std::uint32_t, std::uint32_t>& now) {
        const bool is_last = round + 1 == factor_;
        const VirtualOperand first{Operand::Kind::reg, induction.rows, induction.row};
        const std::uint32_t to = is_last ? induction.row : kernel_.new_rows(induction.rows);
        sum.machine.operation = Operation::add;
        sum.source = {};
        if (induction.literal) {
            const std::uint64_t far = static_cast<std::uint64_t>(*induction.literal) * (round + 1);
            sum.source[0] = first;
            sum.source[1] = finaliser::literal(kernel_.frame, far, induction.rows);
        } else {
            sum.source[0] = is_last ? first : VirtualOperand{Operand::Kind::reg, induction.rows, now.at(induction.row)};
            sum.source[1] = is_last ? far_.at(induction.row) : induction.step;
        }
        sum.destination = to;
        now[induction.row] = to;
    }

    /// The test that the last of the rounds would have made: on to the original loop, or past it.
    void write_rest() {
        auto& code = kernel_.blocks[unrolled_.rest].code;
        code.push_back(body_[loop_.test]);
        VirtualInstruction leave = beside(branch(), Operation::bra);
        leave.guard = {branch().guard.index, !branch().guard.negated};
        leave.target = unrolled_.scalar + unrolled_.scalar_blocks;
        code.push_back(leave);
    }

    void set_exact() {
        for (const Induction& word : words_) {
            unrolled_.exact.push_back({unrolled_.rounds, word.row, step_of(word), factor_ - 1, true, true});
        }
        if (LOOKAHEAD_RULE(passed_bounds_may_wrap) && loop_.comparison == Comparison::ne) { return; }
        if (loop_.counter.rows != 1) { return; }
        unrolled_.exact.push_back({unrolled_.rounds, loop_.counter.row, step_of(loop_.counter), factor_ - 1,
                                   loop_.type == Type::s32, loop_.type != Type::s32});
    }

    VirtualOperand step_of(const Induction& induction) {
        return induction.literal ? finaliser::literal(kernel_.frame, static_cast<std::uint64_t>(*induction.literal), 1)
                                 : induction.step;
    }

    VirtualKernel& kernel_;
    const CountedLoop& loop_;
    const unsigned factor_;
    const std::vector<VirtualInstruction> body_;
    std::vector<Induction> words_;  ///< checked for wrapping
    UnrolledLoop unrolled_;
    VirtualOperand bound_;
    std::map<std::uint32_t, std::int64_t> added_;  ///< by row: known sums over the rounds written so far
    std::map<std::uint32_t, VirtualOperand> far_;  ///< by row: what `factor_` rounds add
};

}  // namespace

Reason refuse_unrolling(const VirtualKernel& kernel, const CountedLoop& loop, unsigned factor) {
    if (loop.body.latch + 1 == kernel.blocks.size()) { return Reason::control; }
    if (loop.rounds && *loop.rounds < factor) { return Reason::trip_count; }
    if (loop.counter.literal && !way(loop, factor)) { return Reason::trip_count; }
    if (loop.comparison == Comparison::ne) { return Reason::none; }
    if (const auto bound = known_bound(kernel, loop, factor); bound && !is_number_of(*bound, loop.type)) {
        return Reason::trip_count;
    }
    return Reason::none;
}

std::vector<Induction> extended_inductions(const CountedLoop& loop) {
    std::vector<Induction> words;
    if (loop.counter.rows != 1) { return words; }
    for (const Induction& induction : loop.inductions) {
        if (induction.rows != 1 || induction.row == loop.counter.row) { continue; }
        const VirtualOperand word{Operand::Kind::reg, 1, induction.row};
        for (const VirtualInstruction& instruction : loop.body.code) {
            const Operation op = instruction.machine.operation;
            if (op != Operation::mul_wide && op != Operation::mad_wide && op != Operation::convert) { continue; }
            if (instruction.source[0] != word && instruction.source[1] != word) { continue; }
            words.push_back(induction);
            break;
        }
    }
    return words;
}

UnrolledLoop unroll(VirtualKernel& kernel, const CountedLoop& loop, unsigned factor, bool checks_words,
                    const UnrolledLoop* fewer) {
    return Unroller(kernel, loop, factor, checks_words, fewer).run();
}

VirtualOperand BlockWriter::literal(std::uint64_t value, unsigned rows) {
    return finaliser::literal(kernel_.frame, value, rows);
}

void BlockWriter::put(VirtualInstruction instruction) {
    auto& code = kernel_.blocks[block_].code;
    code.insert(code.end() - (!code.empty() && finaliser::is_jump(code.back()) ? 1 : 0), std::move(instruction));
}

VirtualOperand BlockWriter::compute(Operation operation, Type type, const VirtualOperand& a, const VirtualOperand& b,
                                    const VirtualOperand& c, Type source_type) {
    VirtualInstruction made = computation(kernel_, served_, operation, type, {a, b, c}, source_type);
    const VirtualOperand result = result_of(made);
    put(std::move(made));
    return result;
}

std::uint32_t BlockWriter::compare(Comparison comparison, Type type, const VirtualOperand& a, const VirtualOperand& b,
                                   std::uint32_t also) {
    VirtualInstruction made = beside(served_, Operation::setp, type);
    made.machine.comparison = comparison;
    made.source = {a, b, {}, {}};
    made.destination_predicate[0] = kernel_.new_predicate();
    if (also != kNone) {
        made.machine.combine = isa::Combine::bit_and;
        made.source_predicate[0] = {also, false};
    }
    const std::uint32_t predicate = made.destination_predicate[0];
    put(std::move(made));
    return predicate;
}

std::uint32_t BlockWriter::condition() const {
    const auto& code = kernel_.blocks[block_].code;
    return code.empty() || !finaliser::is_jump(code.back()) ? kNone : code.back().guard.index;
}

void BlockWriter::leave_unless(std::uint32_t predicate, std::uint32_t target) {
    VirtualInstruction leave = beside(served_, Operation::bra);
    leave.guard = {predicate, true};
    leave.target = target;
    auto& code = kernel_.blocks[block_].code;
    if (condition() != kNone) { code.pop_back(); }
    code.push_back(leave);
}

}  // namespace lookahead::vecmem
