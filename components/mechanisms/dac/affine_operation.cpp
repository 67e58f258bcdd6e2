#include "components/mechanisms/dac/classes.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "components/frontend/finaliser/code/literals.h"
#include "core/bits/one_of.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using isa::SpecialRegister;

namespace {

using Bound = std::optional<std::uint64_t>;
__extension__ using uint128 = unsigned __int128;

// Limits of blocks and grids: CUDA C++ Programming Guide, "Features and Technical Specifications".
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostThreadsZ = 64;
constexpr std::uint64_t kMostBlocksX = 0x7fffffff;
constexpr std::uint64_t kMostBlocksYz = 65535;

Class made(Kind kind, Bound most = std::nullopt, std::uint8_t zeros = 0) {
    return {kind, Reason::none, {}, most, zeros, false, false};
}

Bound within(uint128 value, Type type) {
    const auto limit = isa::is_pair(type) ? std::numeric_limits<std::int64_t>::max() : std::int64_t{0xffffffff};
    return value <= static_cast<uint128>(limit) ? Bound(static_cast<std::uint64_t>(value)) : std::nullopt;
}

/// `result` with the conditions of the sources.
Class with_conditions_of(Class result, std::span<const Class> sources) {
    if (result.kind == Kind::other) { return result; }
    for (const Class& source : sources) {
        for (Condition condition : source.conditions) { result = with_condition(std::move(result), condition); }
    }
    return result;
}

Class sum(const Class& a, const Class& b, Type type) {
    const Kind most = std::max(a.kind, b.kind), least = std::min(a.kind, b.kind);
    if (LOOKAHEAD_RULE(mod_tuples_take_scalar_sums) && most == Kind::mod &&
        (least > Kind::block || a.wide_block || b.wide_block)) {
        return other(Reason::mod);
    }
    if (a.wide_block && b.wide_block) { return other(Reason::mod); }
    const Bound bound = a.most && b.most ? within(uint128{*a.most} + *b.most, type) : std::nullopt;
    Class result = made(most, bound, std::min(a.zeros, b.zeros));
    result.wide_block = a.wide_block || b.wide_block;
    return result;
}

Class difference(const Class& a, const Class& b, Type type) {
    Class result = sum(a, b, type);
    result.most.reset();
    return result;
}

Class product(const Class& a, const Class& b, Type type) {
    if (LOOKAHEAD_RULE(products_have_a_scalar_factor) && std::min(a.kind, b.kind) > Kind::grid) {
        return other(Reason::product);
    }
    const Bound bound = a.most && b.most ? within(uint128{*a.most} * *b.most, type) : std::nullopt;
    Class result =
        made(std::max(a.kind, b.kind), bound, static_cast<std::uint8_t>(std::min(63, int{a.zeros} + int{b.zeros})));
    result.wide_block = a.wide_block || b.wide_block;
    return result;
}

Class shifted(const Class& value, const Class& amount, Bound places, Type type) {
    if (LOOKAHEAD_RULE(shifts_are_by_a_scalar) && amount.kind != Kind::grid) { return other(Reason::product); }
    Class result = made(value.kind, std::nullopt, value.zeros);
    result.wide_block = value.wide_block;
    if (!places || *places > 31) { return result; }
    const Bound bound = value.most ? within(uint128{*value.most} << *places, type) : std::nullopt;
    result.most = bound;
    result.zeros = static_cast<std::uint8_t>(std::min<std::uint64_t>(63, value.zeros + *places));
    return result;
}

/// A 32-bit number extended to 64 bits. Without a bound the tuple may wrap around at 2^32, which a mod-type tuple with
/// this divisor expresses.
Class extended(const Class& value, Type source) {
    const std::uint64_t limit = isa::is_signed(source) ? 0x7fffffffU : 0xffffffffU;
    if (value.most && *value.most <= limit) { return value; }
    if (value.kind == Kind::grid) { return made(Kind::grid, std::nullopt, value.zeros); }
    if (value.kind == Kind::mod || value.wide_block) { return other(Reason::wrap); }
    if (value.kind == Kind::block) {
        Class result = made(Kind::block, std::nullopt, value.zeros);
        result.wide_block = true;
        return result;
    }
    return made(Kind::mod, isa::is_signed(source) ? Bound() : Bound(0xffffffffU), value.zeros);
}

Class converted(const Class& value, const isa::InstructionForm& machine) {
    const Type to = machine.type, from = machine.source_type;
    if (isa::is_floating(to) || isa::is_floating(from) || to == Type::pred || from == Type::pred) {
        return other(Reason::operation);
    }
    const unsigned narrow = std::min(isa::bits(to), isa::bits(from));
    if (narrow < 32) {
        const std::uint64_t limit = (std::uint64_t{1} << (narrow - 1)) - 1;
        return value.most && *value.most <= limit ? value : other(Reason::wrap);
    }
    if (isa::bits(from) < isa::bits(to)) { return extended(value, from); }
    Class result = value;
    if (result.most && isa::bits(to) == 32 && *result.most > 0xffffffffU) { result.most.reset(); }
    return result;
}

Class remainder(const Class& value, const Class& divisor, Bound by, Type type) {
    if (divisor.kind != Kind::grid) { return other(Reason::product); }
    if ((value.kind > Kind::affine || value.wide_block)) { return other(Reason::mod); }
    const bool keeps_number = value.most && *value.most <= 0x7fffffffU;
    // If the divisor divides 2^32, wrapping around does not matter. A signed remainder of a possibly negative number is
    // no remainder modulo the divisor.
    const bool keeps_remainder = by && std::has_single_bit(*by) && isa::is_unsigned(type);
    if (LOOKAHEAD_RULE(remainders_are_of_the_number) && !keeps_number && !keeps_remainder) {
        return other(Reason::wrap);
    }
    return made(Kind::mod, by && *by != 0 ? Bound(*by - 1) : value.most);
}

Class masked(const Class& value, Bound mask) {
    if (!mask || !std::has_single_bit(*mask + 1)) { return other(Reason::operation); }
    if (value.most && *value.most <= *mask) { return value; }
    if (value.kind == Kind::mod || value.wide_block) { return other(Reason::mod); }
    return made(Kind::mod, *mask);
}

Class united(const Class& a, const Class& b, Type type) {
    const auto below = [](const Class& low, const Class& high) {
        return low.most && *low.most < std::uint64_t{1} << high.zeros;
    };
    return below(a, b) || below(b, a) ? sum(a, b, type) : other(Reason::operation);
}

Class special_class(const VirtualKernel& kernel, SpecialRegister special) {
    const std::uint64_t threads = kernel.frame.max_threads_per_cta != 0
                                      ? std::min<std::uint64_t>(kernel.frame.max_threads_per_cta, kMostThreads)
                                      : kMostThreads;
    using enum SpecialRegister;
    if (special == none) { return {}; }
    if (is_one_of(special, tid_x, tid_y)) { return made(Kind::affine, std::max<std::uint64_t>(threads - 1, 1)); }
    if (special == tid_z) {
        return made(Kind::affine, std::max<std::uint64_t>(std::min(threads, kMostThreadsZ) - 1, 1));
    }
    if (special == ctaid_x) { return made(Kind::block, kMostBlocksX - 1); }
    return is_one_of(special, ctaid_y, ctaid_z) ? made(Kind::block, kMostBlocksYz - 1) : other(Reason::lanes);
}

/// The class of an operation that applies only to numbers of the grid.
Class any_operation(std::span<const Class> sources) {
    return std::ranges::all_of(sources, [](const Class& each) { return each.kind <= Kind::grid; })
               ? made(Kind::grid)
               : other(Reason::operation);
}

Class operation_result(const VirtualKernel& kernel, const VirtualInstruction& instruction,
                       const std::array<Class, 4>& s) {
    const isa::InstructionForm& machine = instruction.machine;
    const auto literal = [&](std::size_t i) { return finaliser::literal_value(kernel.frame, instruction.source[i]); };
    const Type type = machine.type;
    if (machine.operation == Operation::mov) { return s[0]; }
    if (machine.operation == Operation::convert && !machine.saturate) {
        const Class result = converted(s[0], machine);
        return result.kind == Kind::other && s[0].kind == Kind::grid ? made(Kind::grid) : result;
    }
    if (!isa::is_word_or_pair(type) || machine.saturate) { return any_operation(s); }
    const auto wide_product = [&] {
        if (!isa::is_word(machine.source_type)) { return any_operation(std::span(s).first(2)); }
        return product(extended(s[0], machine.source_type), extended(s[1], machine.source_type), type);
    };
    const auto plus = [&](const Class& term) { return term.kind == Kind::other ? term : sum(term, s[2], type); };
    Class result;
    switch (machine.operation) {
        case Operation::add:
            return sum(s[0], s[1], type);
        case Operation::sub:
            return difference(s[0], s[1], type);
        case Operation::neg:
        case Operation::bit_not:  // -x - 1
            return difference(made(Kind::grid), s[0], type);
        case Operation::mul_lo:
            return product(s[0], s[1], type);
        case Operation::mad_lo:
            return plus(product(s[0], s[1], type));
        case Operation::mul_wide:
            return wide_product();
        case Operation::mad_wide:
            return plus(wide_product());
        case Operation::shl:
            return shifted(s[0], s[1], literal(1), type);
        case Operation::rem:
            result = remainder(s[0], s[1], literal(1), type);
            break;
        case Operation::bit_and:
            result = literal(0) ? masked(s[1], literal(0)) : masked(s[0], literal(1));
            break;
        case Operation::bit_or:
        case Operation::bit_xor:
            result = united(s[0], s[1], type);
            break;
        default:
            return any_operation(s);
    }
    // Numbers of the grid can be computed in any way; known bounds of the result stay.
    if (any_operation(s).kind != Kind::grid) { return result; }
    return result.kind == Kind::other ? made(Kind::grid) : made(Kind::grid, result.most, result.zeros);
}

}  // namespace

Class other(Reason reason) {
    return {Kind::other, reason, {}, std::nullopt, 0, false, false};
}

Class with_condition(Class made, Condition condition) {
    const auto place = std::ranges::lower_bound(made.conditions, condition);
    if (place == made.conditions.end() || *place != condition) { made.conditions.insert(place, condition); }
    return made.conditions.size() > kMostConditions ? other(Reason::conditions) : made;
}

Class joined(const Class& a, const Class& b) {
    if (a.kind == Kind::none || b.kind == Kind::other) { return a.kind == Kind::other ? a : b; }
    if (b.kind == Kind::none || a.kind == Kind::other) { return a; }
    const Bound most = a.most && b.most ? Bound(std::max(*a.most, *b.most)) : std::nullopt;
    const bool is_mask = a.is_mask && b.is_mask;
    const Class both[] = {a, b};
    Class all = made(std::max(a.kind, b.kind), most, std::min(a.zeros, b.zeros));
    all.wide_block = a.wide_block || b.wide_block;
    all.is_mask = is_mask;
    return all.wide_block && all.kind == Kind::mod ? other(Reason::mod) : with_conditions_of(std::move(all), both);
}

Class chosen(const Class& predicate, std::span<const Class> choices, Condition condition) {
    Class all;
    for (const Class& choice : choices) { all = joined(all, choice); }
    if (predicate.kind <= Kind::grid || all.kind == Kind::other) { return all; }
    return with_condition(std::move(all), condition);
}

bool makes_mask(const VirtualKernel& kernel, const VirtualInstruction& instruction) {
    if (instruction.machine.operation != Operation::shr || !isa::is_signed(instruction.machine.type)) { return false; }
    return finaliser::literal_value(kernel.frame, instruction.source[1]) == isa::bits(instruction.machine.type) - 1U;
}

Class constant_class(std::optional<std::uint64_t> literal, const finaliser::VirtualOperand& operand) {
    if (literal) {
        return made(Kind::grid, *literal, *literal == 0 ? 63 : static_cast<std::uint8_t>(std::countr_zero(*literal)));
    }
    // In the order of LaunchRow.
    static constexpr std::uint64_t kMost[] = {kMostThreads, kMostThreads,  kMostThreadsZ,
                                              kMostBlocksX, kMostBlocksYz, kMostBlocksYz};
    const bool is_bounded = operand.rows == 1 && operand.index < std::size(kMost);
    return made(Kind::grid, is_bounded ? Bound(kMost[operand.index]) : std::nullopt);
}

Class given_class(const VirtualKernel& kernel, const VirtualInstruction& instruction) {
    const Operation operation = instruction.machine.operation;
    using enum Operation;
    if (operation == read_special) { return special_class(kernel, instruction.machine.special); }
    if (is_one_of(operation, load, atomic, texture)) { return other(Reason::memory); }
    if (is_one_of(operation, shuffle, vote, match, activemask, redux, barrier)) { return other(Reason::lanes); }
    return is_one_of(operation, add_carry, sub_borrow, dequeue) ? other(Reason::operation) : Class{};
}

Class affine_result(const VirtualKernel& kernel, const VirtualInstruction& instruction,
                    const std::array<Class, 4>& sources, const std::array<Class, 2>& predicates, Condition condition) {
    const isa::InstructionForm& machine = instruction.machine;
    if (instruction.destination_rows > 2) { return other(Reason::part); }
    const bool chooses_number = machine.operation == Operation::min || machine.operation == Operation::max ||
                                machine.operation == Operation::abs;
    if (makes_mask(kernel, instruction) && sources[0].kind > Kind::grid) {
        Class mask = with_conditions_of(made(Kind::grid), sources);
        mask.is_mask = mask.kind == Kind::grid;
        return mask.is_mask ? with_condition(std::move(mask), condition) : mask;
    }
    if (machine.operation == Operation::bit_and && isa::is_word_or_pair(machine.type) &&
        (sources[0].is_mask || sources[1].is_mask)) {
        Class value = sources[sources[0].is_mask ? 1 : 0];
        value.zeros = 0;
        value.is_mask = sources[0].is_mask && sources[1].is_mask;
        return with_conditions_of(std::move(value), sources);
    }
    if (machine.operation == Operation::select) {
        return chosen(predicates[0], std::span(sources).first(2), condition);
    }
    if (chooses_number && isa::is_word_or_pair(machine.type)) {
        // Section 4.6: max dst, src1, src2 is dst = src1 > src2 ? src1 : src2.
        const bool scalar = sources[0].kind == Kind::grid && sources[1].kind == Kind::grid;
        Class all = machine.operation == Operation::abs ? difference(made(Kind::grid), sources[0], machine.type)
                                                        : joined(sources[0], sources[1]);
        all = with_conditions_of(std::move(all), sources);
        return scalar || all.kind == Kind::other ? all : with_condition(std::move(all), condition);
    }
    return with_conditions_of(operation_result(kernel, instruction, sources), sources);
}

}  // namespace lookahead::dac
