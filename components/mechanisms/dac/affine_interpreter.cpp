#include "components/mechanisms/dac/affine_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "components/frontend/finaliser/emit/print.h"
#include "components/isa/handlers.h"
#include "components/isa/memory_access.h"
#include "core/error/error.h"

namespace lookahead::dac {

using isa::Instruction;
using isa::kWarpSize;
using isa::LaneMask;
using isa::Operation;

namespace {

template <class Threads>
Threads both(const Threads& a, const Threads& b) {
    Threads result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] & b[i];
    return result;
}
template <class Threads>
Threads without(const Threads& a, const Threads& b) {
    Threads result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] & ~b[i];
    return result;
}
template <class Threads>
void add_to(Threads& to, const Threads& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] |= more[i];
}
template <class Threads>
bool none(const Threads& threads) {
    return std::ranges::all_of(threads, [](LaneMask lanes) { return lanes == 0; });
}

template <class Pieces, class Threads>
void add_piece(Pieces& pieces, const Threads& threads, const Tuple& tuple) {
    for (auto& piece : pieces)
        if (piece.tuple == tuple) return add_to(piece.threads, threads);
    pieces.push_back({threads, tuple});
}

bool sets_predicate(const Instruction& instruction) {
    return instruction.destination_predicate != isa::kNoPredicate ||
           instruction.destination_predicate2 != isa::kNoPredicate;
}

bool chooses(Operation operation) {
    return operation == Operation::select || operation == Operation::min || operation == Operation::max ||
           operation == Operation::abs || operation == Operation::shr;
}

/// Rows of one warp for a handler.
struct Rows {
    alignas(128) std::uint32_t words[5][2][kWarpSize] = {};
    isa::OperandRows rows{};

    Rows() {
        for (unsigned i = 0; i < 2; ++i) {
            rows.destination[i] = words[3][i];
            for (unsigned s = 0; s < 3; ++s) rows.source[s][i] = words[s][i];
        }
    }
    void set(unsigned source, unsigned lane, std::uint64_t value) {
        words[source][0][lane] = static_cast<std::uint32_t>(value);
        words[source][1][lane] = static_cast<std::uint32_t>(value >> 32);
    }
    std::uint64_t result(unsigned lane, unsigned bits) const {
        return words[3][0][lane] | (bits == 64 ? std::uint64_t{words[3][1][lane]} << 32 : 0);
    }
};

}  // namespace

AffineInterpreter::AffineInterpreter(const isa::Kernel& kernel, const isa::Program& program, const isa::Dim3& block,
                                     std::vector<std::uint32_t> constants, bool checked)
    : kernel_(kernel),
      program_(program),
      block_(block),
      constants_(std::move(constants)),
      checked_(checked),
      warps_(isa::warps_per_cta(block)) {}

void AffineInterpreter::fail(const Instruction& instruction, const std::string& what) const {
    throw InternalError(fmt::format("kernel {}, affine stream, PC {:#x} (PTX line {}), CTA ({}, {}, {}): {}: {}",
                                    kernel_.name, paths_.back().pc * isa::kInstructionBytes, instruction.line, ctaid_.x,
                                    ctaid_.y, ctaid_.z, finaliser::print(kernel_, paths_.back().pc), what));
}

std::vector<WarpQueues> AffineInterpreter::run(const isa::Dim3& ctaid) {
    ctaid_ = ctaid;
    Threads all{};
    for (unsigned warp = 0; warp < warps_; ++warp) all[warp] = isa::initial_mask(block_.count(), warp * kWarpSize);
    registers_.assign(program_.registers + 2, {{all, number(0, 32)}});
    predicates_ = {};
    queues_.assign(warps_, {});
    paths_ = {{program_.entry, isa::kNoTarget, all}};
    while (!paths_.empty()) step();
    return std::move(queues_);
}

isa::Dim3 AffineInterpreter::thread(unsigned warp, unsigned lane) const {
    const std::uint32_t number = warp * kWarpSize + lane;
    return {number % block_.x, number / block_.x % block_.y, number / block_.x / block_.y};
}

AffineInterpreter::Threads AffineInterpreter::predicate(std::uint8_t number, bool negated) const {
    Threads result{};
    if (number < isa::kPredicateRegisters) result = predicates_[number];
    if (number >= isa::kPredicateRegisters) result.fill(isa::kFullMask);
    if (negated)
        for (LaneMask& lanes : result) lanes = ~lanes;
    return result;
}

void AffineInterpreter::step() {
    const Instruction& instruction = kernel_.code[paths_.back().pc];
    const Threads active = both(paths_.back().threads, predicate(instruction.guard, instruction.guard_negated));
    ++executed_;
    switch (instruction.operation) {
        case Operation::bra:
            return branch(instruction, active);
        case Operation::exit:
            return leave(active);
        case Operation::barrier:
        case Operation::membar:
        case Operation::nop:
            break;
        case Operation::enqueue:
            enqueue(instruction, active);
            break;
        default:
            if (!none(active))
                sets_predicate(instruction) ? set_predicate(instruction, active) : compute(instruction, active);
    }
    advance();
}

void AffineInterpreter::advance() {
    ++paths_.back().pc;
    while (!paths_.empty() && paths_.back().pc == paths_.back().join) paths_.pop_back();
}

/// As SimtStack has it for a warp.
void AffineInterpreter::branch(const Instruction& instruction, const Threads& taken) {
    Path& top = paths_.back();
    const Threads falling = without(top.threads, taken);
    if (none(taken) || none(falling) || instruction.target == top.pc + 1) {
        top.pc = none(taken) ? top.pc : instruction.target - 1;
        return advance();
    }
    const std::uint32_t fallthrough = top.pc + 1;
    const std::uint32_t join = instruction.reconvergence == isa::kNoTarget ? top.join : instruction.reconvergence;
    const Path waiting{join, top.join, top.threads};
    const bool waits = join != top.join;
    paths_.pop_back();
    if (waits) paths_.push_back(waiting);
    if (instruction.target != join) paths_.push_back({instruction.target, join, taken});
    if (fallthrough != join) paths_.push_back({fallthrough, join, falling});
}

void AffineInterpreter::leave(const Threads& threads) {
    const bool all = none(without(paths_.back().threads, threads));
    for (Path& path : paths_) path.threads = without(path.threads, threads);
    std::erase_if(paths_, [](const Path& path) { return none(path.threads); });
    if (!all) advance();
}

AffineInterpreter::Register AffineInterpreter::read(const isa::Operand& operand, const Threads& active) {
    const unsigned bits = operand.rows == 2 ? 64 : 32;
    Register result;
    if (operand.kind == isa::Operand::Kind::none) return {{active, number(0, 32)}};
    if (operand.kind == isa::Operand::Kind::constant) {
        std::uint64_t value = constants_[operand.index];
        if (operand.rows == 2) value |= std::uint64_t{constants_[operand.index + 1]} << 32;
        return {{active, number(value, bits)}};
    }
    for (const Piece& piece : registers_[operand.index]) {
        const Threads threads = both(piece.threads, active);
        if (none(threads)) continue;
        const bool narrower = bits == 32 && piece.tuple.bits == 64;
        // What nothing has written is zero, of any width.
        if (bits == 64 && piece.tuple == number(0, 32)) {
            add_piece(result, threads, number(0, 64));
            continue;
        }
        if (bits == 64 && piece.tuple.bits == 32) fail(kernel_.code[paths_.back().pc], "reads half of a value");
        add_piece(result, threads, narrower ? truncate(piece.tuple) : piece.tuple);
    }
    most_tuples_ = std::max(most_tuples_, result.size());
    return result;
}

void AffineInterpreter::write(const Instruction& instruction, Register pieces) {
    Threads written{};
    for (const Piece& piece : pieces) add_to(written, piece.threads);
    Register& old = registers_[instruction.destination];
    for (Piece& piece : old) piece.threads = without(piece.threads, written);
    std::erase_if(old, [](const Piece& piece) { return none(piece.threads); });
    for (const Piece& piece : pieces) add_piece(old, piece.threads, piece.tuple);
}

std::uint64_t AffineInterpreter::value_of(const Register& pieces, unsigned warp, unsigned lane) const {
    for (const Piece& piece : pieces)
        if (piece.threads[warp] >> lane & 1) return piece.tuple.value(thread(warp, lane), ctaid_);
    throw InternalError("affine stream: a thread reads a register that has no tuple for it");
}

AffineInterpreter::Register AffineInterpreter::special(isa::SpecialRegister special, const Threads& active) const {
    Tuple tuple = number(0, 32);
    const auto index = static_cast<unsigned>(special);
    constexpr auto first_thread = static_cast<unsigned>(isa::SpecialRegister::tid_x);
    constexpr auto first_block = static_cast<unsigned>(isa::SpecialRegister::ctaid_x);
    if (index >= first_block)
        tuple.offsets.block.at(index - first_block) = 1;
    else
        tuple.offsets.thread.at(index - first_thread) = 1;
    return {{active, tuple}};
}

void AffineInterpreter::compute(const Instruction& instruction, const Threads& active) {
    if (instruction.operation == Operation::read_special)
        return write(instruction, special(instruction.special, active));
    std::array<Register, 3> sources;
    for (std::size_t i = 0; i < 3; ++i) sources[i] = read(instruction.source[i], active);
    Register made;
    for (const Piece& a : sources[0])
        for (const Piece& b : sources[1])
            for (const Piece& c : sources[2]) {
                const Threads threads = both(a.threads, both(b.threads, c.threads));
                if (none(threads)) continue;
                const std::array tuples{a.tuple, b.tuple, c.tuple};
                const bool shifts = instruction.operation == Operation::shr;
                if (!chooses(instruction.operation) || (shifts && a.tuple.is_number())) {
                    add_piece(made, threads, result(instruction, tuples));
                    continue;
                }
                // A shift that leaves the sign in all places.
                const Tuple one = shifts ? number(0, a.tuple.bits) : a.tuple;
                const Tuple second = instruction.operation == Operation::abs ? negate(a.tuple)
                                     : shifts                                ? number(~std::uint64_t{0}, a.tuple.bits)
                                                                             : b.tuple;
                const Threads first = takes_first(instruction, a.tuple, second, threads);
                if (!none(first)) add_piece(made, first, one);
                if (const Threads rest = without(threads, first); !none(rest)) add_piece(made, rest, second);
            }
    if (checked_) check(instruction, sources, made, active);
    write(instruction, std::move(made));
}

AffineInterpreter::Threads AffineInterpreter::takes_first(const Instruction& instruction, const Tuple& a,
                                                          const Tuple& b, const Threads& active) const {
    if (instruction.operation == Operation::select)
        return both(active, predicate(instruction.source_predicate, instruction.source_predicate_negated));
    Threads result{};
    const bool is_signed = isa::is_signed(instruction.type);
    for (unsigned warp = 0; warp < warps_; ++warp)
        for (LaneMask left = active[warp]; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            const auto number = [&](const Tuple& tuple) {
                const std::uint64_t bits = tuple.value(thread(warp, lane), ctaid_);
                return static_cast<std::int64_t>(
                    tuple.bits == 32 && is_signed
                        ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)))
                        : bits);
            };
            const std::int64_t x = number(a), y = number(b);
            const bool less = is_signed ? x < y : static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y);
            const bool first = instruction.operation == Operation::min   ? less
                               : instruction.operation == Operation::max ? !less
                                                                         : x >= 0;
            if (first) result[warp] |= LaneMask{1} << lane;
        }
    return result;
}

Tuple AffineInterpreter::result(const Instruction& instruction, std::span<const Tuple> s) const {
    unsigned sources = 0;
    while (sources < 3 && instruction.source[sources].kind != isa::Operand::Kind::none) ++sources;
    if (std::ranges::all_of(s.first(sources), &Tuple::is_number)) return scalar_result(instruction, s);
    const auto wide_product = [&] {
        const bool is_signed = isa::is_signed(instruction.source_type);
        return multiply(extend(s[0], is_signed, block_, ctaid_), extend(s[1], is_signed, block_, ctaid_));
    };
    switch (instruction.operation) {
        case Operation::mov:
            return s[0];
        case Operation::add:
            return add(s[0], s[1]);
        case Operation::sub:
            return add(s[0], negate(s[1]));
        case Operation::neg:
            return negate(s[0]);
        case Operation::bit_not:
            return add(negate(s[0]), number(~std::uint64_t{0}, s[0].bits));
        case Operation::mul_lo:
            return multiply(s[0], s[1]);
        case Operation::mad_lo:
            return add(multiply(s[0], s[1]), s[2]);
        case Operation::mul_wide:
            return wide_product();
        case Operation::mad_wide:
            return add(wide_product(), s[2]);
        case Operation::shl:
            return multiply(s[0], number(s[1].base >= s[0].bits ? 0 : std::uint64_t{1} << s[1].base, s[0].bits));
        case Operation::rem:
            return s[1].base == 0 ? s[0] : modulo(s[0], s[1].base);
        case Operation::bit_and: {
            const bool first = s[0].is_number();
            const std::uint64_t mask = s[first ? 0 : 1].base;
            const Tuple& value = s[first ? 1 : 0];
            if (mask == 0) return number(0, value.bits);
            if (mask == number(~std::uint64_t{0}, value.bits).base) return value;
            // A mod-type tuple comes here where the mask is known to change nothing.
            return value.is_mod ? value : modulo(value, mask + 1);
        }
        case Operation::bit_or:
        case Operation::bit_xor:
            return add(s[0], s[1]);
        case Operation::convert: {
            const unsigned to = isa::bits(instruction.type), from = isa::bits(instruction.source_type);
            if (to == 64 && from < 64) return extend(s[0], isa::is_signed(instruction.source_type), block_, ctaid_);
            return to <= 32 && s[0].bits == 64 ? truncate(s[0]) : s[0];
        }
        default:
            fail(instruction, "no affine operation");
    }
}

/// Any operation on numbers, as a lane does it.
Tuple AffineInterpreter::scalar_result(const Instruction& instruction, std::span<const Tuple> s) const {
    const isa::AluHandler handler = isa::select_handler(instruction);
    if (handler == nullptr) fail(instruction, "no arithmetic");
    Rows rows;
    for (unsigned i = 0; i < 3; ++i) rows.set(i, 0, s[i].base);
    handler(rows.rows, 1, instruction);
    const unsigned bits = instruction.destination_rows == 2 ? 64 : 32;
    return number(rows.result(0, bits), bits);
}

void AffineInterpreter::check(const Instruction& instruction, const std::array<Register, 3>& sources,
                              const Register& made, const Threads& active) const {
    const isa::AluHandler handler = isa::select_handler(instruction);
    const unsigned bits = instruction.destination_rows == 2 ? 64 : 32;
    const Threads chosen = predicate(instruction.source_predicate, instruction.source_predicate_negated);
    for (unsigned warp = 0; warp < warps_; ++warp) {
        if (active[warp] == 0) continue;
        Rows rows;
        const auto for_each_lane = [&](auto visit) {
            for (LaneMask left = active[warp]; left != 0; left &= left - 1)
                visit(static_cast<unsigned>(std::countr_zero(left)));
        };
        for_each_lane([&](unsigned lane) {
            for (unsigned i = 0; i < 3; ++i) rows.set(i, lane, value_of(sources[i], warp, lane));
        });
        rows.rows.source_predicate = chosen[warp];
        handler(rows.rows, active[warp], instruction);
        for_each_lane([&](unsigned lane) {
            const std::uint64_t right = rows.result(lane, bits), tuple = value_of(made, warp, lane);
            if (right == tuple) return;
            fail(instruction,
                 fmt::format("thread {} has {:#x}, its tuple {:#x}", warp * kWarpSize + lane, right, tuple));
        });
    }
}

void AffineInterpreter::set_predicate(const Instruction& instruction, const Threads& active) {
    const isa::AluHandler handler = isa::select_handler(instruction);
    const Threads first = predicate(instruction.source_predicate, instruction.source_predicate_negated);
    const Threads second = predicate(instruction.source_predicate2, instruction.source_predicate2_negated);
    std::array<Register, 3> sources;
    for (std::size_t i = 0; i < 3; ++i) sources[i] = read(instruction.source[i], active);
    for (unsigned warp = 0; warp < warps_; ++warp) {
        if (active[warp] == 0) continue;
        Rows rows;
        for (LaneMask left = active[warp]; left != 0; left &= left - 1)
            for (unsigned i = 0; i < 3; ++i) {
                const auto lane = static_cast<unsigned>(std::countr_zero(left));
                rows.set(i, lane, value_of(sources[i], warp, lane));
            }
        rows.rows.source_predicate = first[warp];
        rows.rows.source_predicate2 = second[warp];
        const auto old = [&](std::uint8_t to) { return to < isa::kPredicateRegisters ? predicates_[to][warp] : 0; };
        rows.rows.destination_predicate = old(instruction.destination_predicate);
        rows.rows.destination_predicate2 = old(instruction.destination_predicate2);
        handler(rows.rows, active[warp], instruction);
        // The complement first: if both go to one predicate the first destination counts.
        if (instruction.destination_predicate2 < isa::kPredicateRegisters)
            predicates_[instruction.destination_predicate2][warp] = rows.rows.destination_predicate2;
        if (instruction.destination_predicate < isa::kPredicateRegisters)
            predicates_[instruction.destination_predicate][warp] = rows.rows.destination_predicate;
    }
}

void AffineInterpreter::enqueue(const Instruction& instruction, const Threads& active) {
    const auto mode = static_cast<isa::QueueMode>(instruction.mode);
    const bool is_predicate = mode == isa::QueueMode::predicate;
    const Threads holds = predicate(instruction.source_predicate, instruction.source_predicate_negated);
    const Register address = is_predicate ? Register{} : read(instruction.source[0], active);
    for (unsigned warp = 0; warp < warps_; ++warp) {
        if (active[warp] == 0) continue;
        Record record;
        record.origin = kernel_.origins[paths_.back().pc];
        record.mode = mode;
        record.active = active[warp];
        if (is_predicate) {
            record.holds = holds[warp] & active[warp];
            queues_[warp].predicates.push_back(record);
            continue;
        }
        Rows rows;
        for (LaneMask left = active[warp]; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            rows.set(0, lane, value_of(address, warp, lane));
        }
        isa::compute_addresses(instruction, rows.words[0][0], rows.words[0][1], active[warp], record.address.data());
        queues_[warp].addresses.push_back(record);
    }
}

}  // namespace lookahead::dac
