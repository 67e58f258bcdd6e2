#include "components/mechanisms/dac/affine_cta.h"

#include <algorithm>
#include <bit>

#include "components/frontend/finaliser/emit/print.h"
#include "components/isa/handlers.h"
#include "components/isa/instruction.h"
#include "components/isa/memory_access.h"
#include "core/bits/one_of.h"
#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using isa::Instruction;
using isa::kWarpSize;
using isa::LaneMask;
using isa::Operation;

namespace {

void add_piece(AffineRegister& pieces, const Threads& threads, const Tuple& tuple) {
    for (auto& piece : pieces) {
        if (piece.tuple == tuple) { return add_to(piece.threads, threads); }
    }
    pieces.push_back({threads, tuple});
}

bool writes_predicate(const Instruction& instruction) {
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
            for (unsigned s = 0; s < 3; ++s) { rows.source[s][i] = words[s][i]; }
        }
    }
    /// Sets a source to the tuples' values for the active threads of a warp.
    void set(unsigned source, const AffineRegister& pieces, const AffineLaunch& launch, const isa::Dim3& ctaid,
             unsigned warp, LaneMask active) {
        for (const Piece& piece : pieces) {
            isa::Dim3 thread = launch.thread(warp, 0);
            unsigned lane = 0;
            for (LaneMask left = piece.threads[warp] & active; left != 0; left &= left - 1) {
                for (; lane < static_cast<unsigned>(std::countr_zero(left)); ++lane) { thread = launch.after(thread); }
                set(source, lane, piece.tuple.value(thread, ctaid));
            }
            active &= ~piece.threads[warp];
        }
        if (active != 0) { throw InternalError("affine stream: a thread reads a register that has no tuple for it"); }
    }
    void set(unsigned source, unsigned lane, std::uint64_t value) {
        words[source][0][lane] = static_cast<std::uint32_t>(value);
        words[source][1][lane] = static_cast<std::uint32_t>(value >> 32);
    }
    std::uint64_t result(unsigned lane, unsigned bits) const {
        return words[3][0][lane] | (bits == 64 ? std::uint64_t{words[3][1][lane]} << 32 : 0);
    }
};

__extension__ using Integer = __int128;

Integer integer(std::uint64_t value, unsigned bits, bool is_signed) {
    if (bits == 32) {
        return is_signed ? Integer{static_cast<std::int32_t>(value)} : Integer{static_cast<std::uint32_t>(value)};
    }
    return is_signed ? Integer{static_cast<std::int64_t>(value)} : Integer{value};
}

/// Whether the first and the last thread, and so those between, have one result. `first` and `last` tell on which side
/// of the number they are: -1 below, 0 equal, 1 above.
bool agree(isa::Comparison comparison, int first, int last) {
    using enum isa::Comparison;
    if (is_one_of(comparison, lt, ge)) { return (first < 0) == (last < 0); }
    if (is_one_of(comparison, le, gt)) { return (first > 0) == (last > 0); }
    return first == last;
}

}  // namespace

isa::Dim3 AffineLaunch::thread(unsigned warp, unsigned lane) const {
    const std::uint32_t number = warp * kWarpSize + lane;
    return {number % block.x, number / block.x % block.y, number / block.x / block.y};
}

isa::Dim3 AffineLaunch::after(const isa::Dim3& thread) const {
    if (thread.x + 1 < block.x) { return {thread.x + 1, thread.y, thread.z}; }
    return thread.y + 1 < block.y ? isa::Dim3{0, thread.y + 1, thread.z} : isa::Dim3{0, 0, thread.z + 1};
}

void AffineLaunch::take_constants(const std::vector<isa::Row>& rows) {
    constants.clear();
    for (const isa::Row& row : rows) { constants.push_back(row.lanes[0]); }
}

void AffineCta::begin(const AffineLaunch& launch, const isa::Dim3& ctaid) {
    launch_ = &launch;
    ctaid_ = ctaid;
    registers_.resize(launch.program->registers + 2);
    for (AffineRegister& each : registers_) {
        each.clear();
        each.push_back({all_threads(), number(0, 32)});
    }
    predicates_ = {};
    comparisons_ = {};
}

Threads AffineCta::all_threads() const {
    Threads all{};
    for (unsigned warp = 0; warp < launch_->warps(); ++warp) {
        all[warp] = isa::initial_mask(launch_->block.count(), warp * kWarpSize);
    }
    return all;
}

void AffineCta::fail(std::uint32_t pc, const std::string& what) const {
    const isa::Kernel& kernel = *launch_->kernel;
    throw InternalError("kernel {}, affine stream, PC {:#x} (PTX line {}), CTA ({}, {}, {}): {}: {}", kernel.name,
                        pc * isa::kInstructionBytes, kernel.code[pc].line, ctaid_.x, ctaid_.y, ctaid_.z,
                        finaliser::print(kernel, pc), what);
}

Threads AffineCta::predicate(std::uint8_t number, bool negated) const {
    Threads result{};
    if (number < isa::kPredicateRegisters) { result = predicates_[number]; }
    if (number >= isa::kPredicateRegisters) { result.fill(isa::kFullMask); }
    if (negated) {
        for (LaneMask& lanes : result) { lanes = ~lanes; }
    }
    return result;
}

void AffineCta::take(std::uint8_t number, const Threads& active, const Threads& holds) {
    for (unsigned warp = 0; warp < active.size(); ++warp) {
        predicates_[number][warp] = (predicates_[number][warp] & ~active[warp]) | (holds[warp] & active[warp]);
    }
}

void AffineCta::compute(std::uint32_t pc, const Threads& active) {
    if (none(active)) { return; }
    writes_predicate(launch_->kernel->code[pc]) ? set_predicate(pc, active) : tuples(pc, active);
}

void AffineCta::read(std::uint32_t pc, const isa::Operand& operand, const Threads& active, AffineRegister& into) {
    const unsigned bits = operand.rows == 2 ? 64 : 32;
    into.clear();
    if (operand.kind == isa::Operand::Kind::none) { return into.push_back({active, number(0, 32)}); }
    if (operand.kind == isa::Operand::Kind::constant) {
        std::uint64_t value = launch_->constants[operand.index];
        if (operand.rows == 2) { value |= std::uint64_t{launch_->constants[operand.index + 1]} << 32; }
        return into.push_back({active, number(value, bits)});
    }
    for (const Piece& piece : registers_[operand.index]) {
        const Threads threads = both(piece.threads, active);
        if (none(threads)) { continue; }
        const bool narrower = bits == 32 && piece.tuple.bits == 64;
        // Registers that were never written are zero, of any width.
        if (bits == 64 && piece.tuple == number(0, 32)) {
            add_piece(into, threads, number(0, 64));
            continue;
        }
        if (bits == 64 && piece.tuple.bits == 32) { fail(pc, "reads half of a value"); }
        add_piece(into, threads, narrower ? truncate(piece.tuple) : piece.tuple);
    }
    most_tuples_ = std::max(most_tuples_, into.size());
}

void AffineCta::write(const Instruction& instruction, const AffineRegister& pieces) {
    Threads written{};
    for (const Piece& piece : pieces) { add_to(written, piece.threads); }
    AffineRegister& old = registers_[instruction.destination];
    for (Piece& piece : old) { piece.threads = without(piece.threads, written); }
    std::erase_if(old, [](const Piece& piece) { return none(piece.threads); });
    for (const Piece& piece : pieces) { add_piece(old, piece.threads, piece.tuple); }
}

Tuple AffineCta::special(isa::SpecialRegister special) const {
    Tuple tuple = number(0, 32);
    const auto index = static_cast<unsigned>(special);
    constexpr auto first_thread = static_cast<unsigned>(isa::SpecialRegister::tid_x);
    constexpr auto first_block = static_cast<unsigned>(isa::SpecialRegister::ctaid_x);
    if (index >= first_block) {
        tuple.offsets.block.at(index - first_block) = 1;
    } else {
        tuple.offsets.thread.at(index - first_thread) = 1;
    }
    return tuple;
}

void AffineCta::tuples(std::uint32_t pc, const Threads& active) {
    const Instruction& instruction = launch_->kernel->code[pc];
    made_.clear();
    if (instruction.operation == Operation::read_special) {
        made_.push_back({active, special(instruction.special)});
        return write(instruction, made_);
    }
    for (std::size_t i = 0; i < 3; ++i) { read(pc, instruction.source[i], active, sources_[i]); }
    for (const Piece& a : sources_[0]) {
        for (const Piece& b : sources_[1]) {
            for (const Piece& c : sources_[2]) {
                const Threads threads = both(a.threads, both(b.threads, c.threads));
                if (none(threads)) { continue; }
                const bool shifts = instruction.operation == Operation::shr;
                if (!chooses(instruction.operation) || (shifts && a.tuple.is_number())) {
                    add_piece(made_, threads, result(pc, {a.tuple, b.tuple, c.tuple}));
                    continue;
                }
                // A shift that leaves the sign in all places.
                const Tuple one = shifts ? number(0, a.tuple.bits) : a.tuple;
                const Tuple second = instruction.operation == Operation::abs ? negate(a.tuple)
                                     : shifts                                ? number(~std::uint64_t{0}, a.tuple.bits)
                                                                             : b.tuple;
                const Threads first = takes_first(instruction, a.tuple, second, threads);
                if (!none(first)) { add_piece(made_, first, one); }
                if (const Threads rest = without(threads, first); !none(rest)) { add_piece(made_, rest, second); }
            }
        }
    }
    if (launch_->checked) { check(pc, active); }
    write(instruction, made_);
}

Threads AffineCta::takes_first(const Instruction& instruction, const Tuple& a, const Tuple& b,
                               const Threads& active) const {
    if (instruction.operation == Operation::select) {
        return both(active, predicate(instruction.source_predicate, instruction.source_predicate_negated));
    }
    Threads result{};
    const bool is_signed = isa::is_signed(instruction.type);
    for (unsigned warp = 0; warp < launch_->warps(); ++warp) {
        for (const unsigned lane : SetBits(active[warp])) {
            const auto number = [&](const Tuple& tuple) {
                const std::uint64_t bits = tuple.value(launch_->thread(warp, lane), ctaid_);
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
            if (first) { result[warp] |= LaneMask{1} << lane; }
        }
    }
    return result;
}

Tuple AffineCta::result(std::uint32_t pc, const std::array<Tuple, 3>& s) const {
    const Instruction& instruction = launch_->kernel->code[pc];
    const isa::Dim3& block = launch_->block;
    unsigned sources = 0;
    while (sources < 3 && instruction.source[sources].kind != isa::Operand::Kind::none) { ++sources; }
    if (std::all_of(s.begin(), s.begin() + sources, [](const Tuple& tuple) { return tuple.is_number(); })) {
        return scalar_result(pc, s);
    }
    const auto wide_product = [&] {
        const bool is_signed = isa::is_signed(instruction.source_type);
        return multiply(extend(s[0], is_signed, block, ctaid_), extend(s[1], is_signed, block, ctaid_));
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
            if (mask == 0) { return number(0, value.bits); }
            if (mask == number(~std::uint64_t{0}, value.bits).base) { return value; }
            // A mod-type tuple comes here only if the mask is known to change nothing.
            return value.is_mod ? value : modulo(value, mask + 1);
        }
        case Operation::bit_or:
        case Operation::bit_xor:
            return add(s[0], s[1]);
        case Operation::convert: {
            const unsigned to = isa::bits(instruction.type), from = isa::bits(instruction.source_type);
            if (to == 64 && from < 64) { return extend(s[0], isa::is_signed(instruction.source_type), block, ctaid_); }
            return to <= 32 && s[0].bits == 64 ? truncate(s[0]) : s[0];
        }
        default:
            fail(pc, "no affine operation");
    }
}

/// The result of any operation on numbers, computed as a lane does.
Tuple AffineCta::scalar_result(std::uint32_t pc, const std::array<Tuple, 3>& s) const {
    const Instruction& instruction = launch_->kernel->code[pc];
    const isa::AluHandler handler = isa::select_handler(instruction);
    if (handler == nullptr) { fail(pc, "no arithmetic"); }
    Rows rows;
    for (unsigned i = 0; i < 3; ++i) { rows.set(i, 0, s[i].base); }
    handler(rows.rows, 1, instruction);
    const unsigned bits = instruction.destination_rows == 2 ? 64 : 32;
    return number(rows.result(0, bits), bits);
}

void AffineCta::check(std::uint32_t pc, const Threads& active) const {
    const Instruction& instruction = launch_->kernel->code[pc];
    const isa::AluHandler handler = isa::select_handler(instruction);
    const unsigned bits = instruction.destination_rows == 2 ? 64 : 32;
    const Threads chosen = predicate(instruction.source_predicate, instruction.source_predicate_negated);
    for (unsigned warp = 0; warp < launch_->warps(); ++warp) {
        if (active[warp] == 0) { continue; }
        Rows rows, made;
        for (unsigned i = 0; i < 3; ++i) { rows.set(i, sources_[i], *launch_, ctaid_, warp, active[warp]); }
        made.set(3, made_, *launch_, ctaid_, warp, active[warp]);
        rows.rows.source_predicate = chosen[warp];
        handler(rows.rows, active[warp], instruction);
        for (const unsigned lane : SetBits(active[warp])) {
            const std::uint64_t right = rows.result(lane, bits), tuple = made.result(lane, 64);
            if (right == tuple) { continue; }
            fail(pc, fmt::format("thread {} has {:#x}, its tuple {:#x}", warp * kWarpSize + lane, right, tuple));
        }
    }
}

void AffineCta::set_predicate(std::uint32_t pc, const Threads& active) {
    const Instruction& instruction = launch_->kernel->code[pc];
    const isa::AluHandler handler = isa::select_handler(instruction);
    const Threads first = predicate(instruction.source_predicate, instruction.source_predicate_negated);
    const Threads second = predicate(instruction.source_predicate2, instruction.source_predicate2_negated);
    for (std::size_t i = 0; i < 3; ++i) { read(pc, instruction.source[i], active, sources_[i]); }
    for (unsigned warp = 0; warp < launch_->warps(); ++warp) {
        if (active[warp] == 0) { continue; }
        Rows rows;
        for (unsigned i = 0; i < 3; ++i) { rows.set(i, sources_[i], *launch_, ctaid_, warp, active[warp]); }
        rows.rows.source_predicate = first[warp];
        rows.rows.source_predicate2 = second[warp];
        const auto old = [&](std::uint8_t to) { return to < isa::kPredicateRegisters ? predicates_[to][warp] : 0; };
        rows.rows.destination_predicate = old(instruction.destination_predicate);
        rows.rows.destination_predicate2 = old(instruction.destination_predicate2);
        handler(rows.rows, active[warp], instruction);
        const Comparisons needed = comparisons_of(instruction, warp, active[warp]);
        // The complement first: if both destinations are one predicate, the first one counts.
        if (instruction.destination_predicate2 < isa::kPredicateRegisters) {
            predicates_[instruction.destination_predicate2][warp] = rows.rows.destination_predicate2;
            comparisons_[instruction.destination_predicate2][warp] = needed;
        }
        if (instruction.destination_predicate < isa::kPredicateRegisters) {
            predicates_[instruction.destination_predicate][warp] = rows.rows.destination_predicate;
            comparisons_[instruction.destination_predicate][warp] = needed;
        }
    }
}

/// How the comparison in sources_ is made. Two comparisons suffice if no thread's value lies outside those of the
/// warp's first and last thread and these have the same result; for eq and ne, if both ends are on one side of the
/// number or both are equal to it. A combination of predicates is as expensive as the worst of them.
Comparisons AffineCta::comparisons_of(const Instruction& instruction, unsigned warp, LaneMask active) const {
    Comparisons most =
        std::max(comparisons(instruction.source_predicate, warp), comparisons(instruction.source_predicate2, warp));
    if (instruction.operation != Operation::setp) { return most; }
    const auto tuple_of = [&](unsigned source) -> const Tuple* {
        const Piece* only = nullptr;
        for (const Piece& piece : sources_[source]) {
            if ((piece.threads[warp] & active) == 0) { continue; }
            if (only != nullptr) { return nullptr; }
            only = &piece;
        }
        return only == nullptr ? nullptr : &only->tuple;
    };
    const Tuple* a = tuple_of(0);
    const Tuple* b = tuple_of(1);
    const auto differs = [](const Tuple& tuple) {
        return tuple.offsets.by_thread() || (tuple.is_mod && tuple.mod_offsets.by_thread());
    };
    if (a == nullptr || b == nullptr) { return Comparisons::lanes; }
    if (!differs(*a) && !differs(*b)) { return most; }
    if (differs(*a) && differs(*b)) { return Comparisons::lanes; }
    const unsigned low = static_cast<unsigned>(std::countr_zero(active));
    const unsigned high = kWarpSize - 1 - static_cast<unsigned>(std::countl_zero(active));
    const isa::Dim3 first = launch_->thread(warp, low), last = launch_->thread(warp, high);
    const bool is_signed = isa::is_signed(instruction.type);
    if (!lies_between(differs(*a) ? *a : *b, first, last, is_signed)) { return Comparisons::lanes; }
    const auto side = [&](const isa::Dim3& thread) {
        const Integer x = integer(a->value(thread, ctaid_), a->bits, is_signed);
        const Integer y = integer(b->value(thread, ctaid_), b->bits, is_signed);
        return x < y ? -1 : x > y ? 1 : 0;
    };
    return agree(instruction.comparison, side(first), side(last)) ? std::max(most, Comparisons::two)
                                                                  : Comparisons::lanes;
}

/// Whether no value of the threads from `first` to `last` lies outside those of these two: offsets have one sign, all
/// rows and planes between are whole, and nothing wraps around.
bool AffineCta::lies_between(const Tuple& line, const isa::Dim3& first, const isa::Dim3& last, bool is_signed) const {
    if (line.is_mod) { return false; }
    const auto offset = [&](std::size_t dimension) { return integer(line.offsets.thread[dimension], line.bits, true); };
    const bool planes = first.z != last.z, rows = planes || first.y != last.y,
               whole_rows = first.x == 0 && last.x + 1 == launch_->block.x;
    const Integer x = rows || first.x != last.x ? offset(0) : 0, y = rows ? offset(1) : 0, z = planes ? offset(2) : 0;
    if (LOOKAHEAD_RULE(rows_between_ends_are_whole) && rows && x != 0 && !whole_rows) { return false; }
    if (planes && y != 0 && !(first.y == 0 && last.y + 1 == launch_->block.y)) { return false; }
    const bool rises = x >= 0 && y >= 0 && z >= 0, falls = x <= 0 && y <= 0 && z <= 0;
    if (LOOKAHEAD_RULE(lines_rise_or_fall) && !rises && !falls) { return false; }
    const Integer change =
        x * (Integer{last.x} - first.x) + y * (Integer{last.y} - first.y) + z * (Integer{last.z} - first.z);
    const Integer from = integer(line.value(first, ctaid_), line.bits, is_signed);
    return integer(line.value(last, ctaid_), line.bits, is_signed) == from + change;
}

void warp_addresses(const AffineLaunch& launch, const isa::Dim3& ctaid, const Instruction& enqueue,
                    const AffineRegister& tuples, unsigned warp, LaneMask active, std::uint64_t* addresses) {
    Rows rows;
    rows.set(0, tuples, launch, ctaid, warp, active);
    isa::compute_addresses(enqueue, rows.words[0][0], rows.words[0][1], active, addresses);
}

void AffineCta::fields(StateArchive& archive) {
    std::uint64_t most = most_tuples_;
    archive& ctaid_.x& ctaid_.y& ctaid_.z& registers_& predicates_& comparisons_& most;
    most_tuples_ = most;
}

}  // namespace lookahead::dac
