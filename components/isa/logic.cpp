#include <functional>

#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"

namespace lookahead::isa {
namespace {

/// Shifts by the width or more shift everything out; zeros, or copies of the sign, come in (PTX ISA, shl and shr).
template <class T>
T shift_left(T a, std::uint32_t amount) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    const T shifted = static_cast<T>(std::make_unsigned_t<T>(a) << (amount & (kWidth - 1)));
    return amount < kWidth ? shifted : T{0};
}
template <class T>
T shift_right(T a, std::uint32_t amount) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(a >> (amount < kWidth ? amount : kWidth - 1));
    } else {
        return amount < kWidth ? static_cast<T>(a >> (amount & (kWidth - 1))) : T{0};
    }
}

std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
}

template <ShiftMode kMode>
std::uint32_t funnel_amount(std::uint32_t amount) {
    if constexpr (kMode == ShiftMode::wrap) { return amount & 31; }
    return amount < 32 ? amount : 32;
}
template <ShiftMode kMode>
std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, std::uint32_t amount) {
    return static_cast<std::uint32_t>(joined(low, high) << funnel_amount<kMode>(amount) >> 32);
}
template <ShiftMode kMode>
std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, std::uint32_t amount) {
    return static_cast<std::uint32_t>(joined(low, high) >> funnel_amount<kMode>(amount));
}

/// One word of a 64-bit shift.
std::uint32_t wide_left(std::uint32_t low, std::uint32_t high, std::uint32_t amount) {
    return static_cast<std::uint32_t>(shift_left(joined(low, high), amount) >> 32);
}
template <class T>
std::uint32_t wide_right(std::uint32_t low, std::uint32_t high, std::uint32_t amount) {
    return static_cast<std::uint32_t>(shift_right(static_cast<T>(joined(low, high)), amount));
}

AluHandler select_funnel(const InstructionForm& instruction) {
    const bool left = instruction.operation == Operation::shf_l;
    switch (static_cast<ShiftMode>(instruction.mode)) {
        case ShiftMode::clamp:
            return left ? lanewise<&funnel_left<ShiftMode::clamp>> : lanewise<&funnel_right<ShiftMode::clamp>>;
        case ShiftMode::wrap:
            return left ? lanewise<&funnel_left<ShiftMode::wrap>> : lanewise<&funnel_right<ShiftMode::wrap>>;
        case ShiftMode::wide:
            return left                            ? lanewise<&wide_left>
                   : instruction.type == Type::s32 ? lanewise<&wide_right<std::int64_t>>
                                                   : lanewise<&wide_right<std::uint64_t>>;
    }
    return nullptr;
}

/// Any function of three bits: bit 4a + 2b + c of the table. Selects bit by bit, first by c, then by b, then by a.
void look_up(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const auto entry = [table = instruction.mode](unsigned i) { return (table >> i & 1) ? ~0u : 0u; };
    std::uint32_t when_clear[4], changes[4];
    for (unsigned i = 0; i < 4; ++i) {
        when_clear[i] = entry(2 * i);
        changes[i] = entry(2 * i) ^ entry(2 * i + 1);
    }
    const auto evaluate = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const auto by_c = [&](unsigned i) { return when_clear[i] ^ (c & changes[i]); };
        const auto by_b = [&](unsigned i) { return (b & by_c(2 * i + 1)) | (~b & by_c(2 * i)); };
        return (a & by_b(1)) | (~a & by_b(0));
    };
    map_lanes<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(rows, active, evaluate,
                                                                          std::make_index_sequence<3>{});
}

template <class T>
AluHandler select_for(Operation operation) {
    return handler_in({{Operation::bit_and, run_lanewise<std::bit_and<T>{}, T, T, T>},
                       {Operation::bit_or, run_lanewise<std::bit_or<T>{}, T, T, T>},
                       {Operation::bit_xor, run_lanewise<std::bit_xor<T>{}, T, T, T>},
                       {Operation::bit_not, run_lanewise<std::bit_not<T>{}, T, T>},
                       {Operation::shl, lanewise<&shift_left<T>>},
                       {Operation::shr, lanewise<&shift_right<T>>}},
                      operation);
}

}  // namespace

AluHandler select_logic(const InstructionForm& instruction) {
    switch (instruction.operation) {
        case Operation::lop3:
            return look_up;
        case Operation::shf_l:
        case Operation::shf_r:
            return select_funnel(instruction);
        default:
            return with_integer(instruction.type, [&]<class T>() { return select_for<T>(instruction.operation); });
    }
}

}  // namespace lookahead::isa
