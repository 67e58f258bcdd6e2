#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"

namespace lookahead::isa {
namespace {

template <class T>
inline constexpr std::uint32_t kWidth = 8 * sizeof(T);

/// Ones in the lowest `count` bits; all ones for counts of the width or more.
template <class Unsigned>
Unsigned low_ones(std::uint32_t count) {
    const Unsigned ones = (Unsigned{1} << (count & (kWidth<Unsigned> - 1))) - 1;
    return count < kWidth<Unsigned> ? ones : ~Unsigned{0};
}

/// `length` bits from `position`, zero- or sign-extended. Beyond the top, a signed field is extended by the top bit.
template <class T>
T extract(T a, std::uint32_t position_operand, std::uint32_t length_operand) {
    const std::uint32_t position = position_operand & 0xff, length = length_operand & 0xff;
    if constexpr (std::is_unsigned_v<T>) {
        const T shifted = position < kWidth<T> ? a >> (position & (kWidth<T> - 1)) : T{0};
        return shifted & low_ones<T>(length);
    } else {
        const T shifted = a >> (position < kWidth<T> ? position : kWidth<T> - 1);
        const std::uint32_t unused = length < kWidth<T> ? kWidth<T> - length : 0;
        const T at_top = static_cast<T>(std::make_unsigned_t<T>(shifted) << (unused & (kWidth<T> - 1)));
        return length == 0 ? T{0} : at_top >> (unused & (kWidth<T> - 1));
    }
}

/// bfi: the lowest `length` bits of a replace those of b from `position`. An instruction has at most three operands, so
/// position and length are in bytes 0 and 1 of the third.
template <class T>
T insert(T a, T b, std::uint32_t place) {
    const std::uint32_t position = place & 0xff, length = place >> 8 & 0xff;
    const bool inside = position < kWidth<T>;
    const T mask = inside ? low_ones<T>(length) << (position & (kWidth<T> - 1)) : T{0};
    return (b & ~mask) | ((a << (position & (kWidth<T> - 1))) & mask);
}

/// The position of the highest one, or for negative numbers of the highest zero; all ones if there is none.
template <class T, FindMode kMode>
std::uint32_t find(T a) {
    using Unsigned = std::make_unsigned_t<T>;
    const Unsigned bits = static_cast<Unsigned>(std::is_signed_v<T> && a < 0 ? ~a : a);
    const auto leading = static_cast<std::uint32_t>(std::countl_zero(bits));
    const std::uint32_t found = kMode == FindMode::shift_amount ? leading : kWidth<T> - 1 - leading;
    return bits == 0 ? ~0u : found;
}

template <class T>
std::uint32_t count_leading_zeros(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
}
template <class T>
std::uint32_t count_ones(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
}

std::uint32_t reverse(std::uint32_t a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}
std::uint64_t reverse(std::uint64_t a) {
    return std::uint64_t{reverse(static_cast<std::uint32_t>(a))} << 32 | reverse(static_cast<std::uint32_t>(a >> 32));
}

/// The number of the byte, of a's four and b's four, that goes to byte `place` (PTX ISA, prmt's table).
template <PermuteMode kMode>
std::uint32_t byte_number(std::uint32_t selector, std::uint32_t place) {
    const std::uint32_t n = selector & 3;
    switch (kMode) {
        case PermuteMode::generic:
            return selector >> (4 * place) & 7;
        case PermuteMode::f4e:
            return n + place;
        case PermuteMode::b4e:
            return (n - place) & 7;
        case PermuteMode::rc8:
            return n;
        case PermuteMode::ecl:
            return n > place ? n : place;
        case PermuteMode::ecr:
            return n < place ? n : place;
        case PermuteMode::rc16:
            return (n & 1) * 2 + (place & 1);
    }
}
template <PermuteMode kMode>
std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t bytes = a | std::uint64_t{b} << 32;
    std::uint32_t result = 0;
    for (std::uint32_t place = 0; place < 4; ++place) {
        auto byte = static_cast<std::uint32_t>(bytes >> (8 * byte_number<kMode>(selector, place)) & 0xff);
        if (kMode == PermuteMode::generic && (selector >> (4 * place) & 8)) { byte = byte & 0x80 ? 0xff : 0; }
        result |= byte << (8 * place);
    }
    return result;
}

AluHandler select_permute(PermuteMode mode) {
    using enum PermuteMode;
    return with_one_of<generic, f4e, b4e, rc8, ecl, ecr, rc16>(
        mode, []<PermuteMode kMode>() { return lanewise<&permute<kMode>>; });
}

template <class T>
AluHandler select_signed_for(const InstructionForm& instruction) {
    const bool amount = instruction.mode == static_cast<std::uint8_t>(FindMode::shift_amount);
    switch (instruction.operation) {
        case Operation::bfe:
            return lanewise<&extract<T>>;
        case Operation::bfind:
            return amount ? lanewise<&find<T, FindMode::shift_amount>> : lanewise<&find<T, FindMode::position>>;
        default:
            return nullptr;
    }
}

template <class T>
AluHandler select_for(const InstructionForm& instruction) {
    switch (instruction.operation) {
        case Operation::bfi:
            return lanewise<&insert<T>>;
        case Operation::brev:
            return lanewise<static_cast<T (*)(T)>(reverse)>;
        case Operation::clz:
            return lanewise<&count_leading_zeros<T>>;
        case Operation::popc:
            return lanewise<&count_ones<T>>;
        default:
            return select_signed_for<T>(instruction);
    }
}

}  // namespace

AluHandler select_bit_field(const InstructionForm& instruction) {
    if (instruction.operation == Operation::prmt) { return select_permute(static_cast<PermuteMode>(instruction.mode)); }
    return with_integer(instruction.type, [&]<class T>() -> AluHandler {
        if constexpr (sizeof(T) < 4) {
            return nullptr;
        } else if constexpr (std::is_signed_v<T>) {
            return select_signed_for<T>(instruction);
        } else {
            return select_for<T>(instruction);
        }
    });
}

}  // namespace lookahead::isa
