#include "tests/functional/scalar_interpreter/scalar_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "tests/components/isa/half_reference.h"
#include "tests/functional/scalar_interpreter/scalar_state.h"

namespace lookahead::test {

using isa::test::nearest_half;
using isa::test::value_of_half;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Rounding;

namespace {

int host_mode(Rounding rounding) {
    switch (rounding) {
        case Rounding::rz:
        case Rounding::rzi:
            return FE_TOWARDZERO;
        case Rounding::rm:
        case Rounding::rmi:
            return FE_DOWNWARD;
        case Rounding::rp:
        case Rounding::rpi:
            return FE_UPWARD;
        default:
            return FE_TONEAREST;
    }
}

bool to_whole_numbers(Rounding rounding) {
    return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
           rounding == Rounding::rpi;
}

isa::Rounding half_rounding(Rounding rounding) {
    switch (host_mode(rounding)) {
        case FE_TOWARDZERO:
            return isa::Rounding::rz;
        case FE_DOWNWARD:
            return isa::Rounding::rm;
        case FE_UPWARD:
            return isa::Rounding::rp;
        default:
            return isa::Rounding::rn;
    }
}

/// function(values...) under a rounding mode of the host. The volatile copies keep the compiler from evaluating it
/// earlier.
template <class Result, class Function, class... Values>
Result under(int mode, Function function, Values... values) {
    const int before = fegetround();
    fesetround(mode);
    const auto kept = [](auto value) {
        const volatile auto copy = value;
        return copy;
    };
    const volatile Result result = function(kept(values)...);
    fesetround(before);
    return result;
}

/// The whole number next to the value in the direction of the rounding.
long double whole(long double value, Rounding rounding) {
    return under<long double>(
        host_mode(rounding), [](long double x) { return std::rint(x); }, value);
}

/// PTX's min: if one is NaN, the other number; -0 is below +0.
template <class T>
T lesser(T a, T b) {
    if (std::isnan(a)) { return b; }
    if (std::isnan(b)) { return a; }
    if (a == 0 && b == 0) { return std::signbit(a) ? a : b; }
    return a < b ? a : b;
}

template <class T>
std::optional<T> arithmetic(const ptx::Instruction& instruction, T a, T b, T c) {
    const int mode = host_mode(instruction.modifiers.rounding);
    switch (instruction.opcode) {
        case Opcode::add:
            return under<T>(mode, std::plus<T>(), a, b);
        case Opcode::sub:
            return under<T>(mode, std::minus<T>(), a, b);
        case Opcode::mul:
            return under<T>(mode, std::multiplies<T>(), a, b);
        case Opcode::fma:
        case Opcode::mad:
            return under<T>(
                mode, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
        case Opcode::min:
            return lesser(a, b);
        case Opcode::max:
            return -lesser(-a, -b);
        default:
            break;
    }
    // Without a rounding these are approximations.
    if (instruction.modifiers.rounding == Rounding::none) { return std::nullopt; }
    switch (instruction.opcode) {
        case Opcode::div:
            return under<T>(mode, std::divides<T>(), a, b);
        case Opcode::rcp:
            return under<T>(mode, std::divides<T>(), T(1), a);
        case Opcode::sqrt:
            return under<T>(
                mode, [](T x) { return std::sqrt(x); }, a);
        default:
            return std::nullopt;
    }
}

/// Clamped to [0, 1]; NaN is 0.
template <class T>
T clamped(T value) {
    if (std::isnan(value) || value <= 0) { return 0; }
    return value >= 1 ? T(1) : value;
}

std::optional<std::uint64_t> single_result(const ptx::Instruction& instruction, Sources sources) {
    const Modifiers& modifiers = instruction.modifiers;
    if (modifiers.ftz) {
        for (std::uint64_t& bits : sources) { bits = flushed(bits); }
    }
    if (instruction.opcode == Opcode::neg) { return sources[0] ^ 0x8000'0000u; }
    if (instruction.opcode == Opcode::abs) { return sources[0] & 0x7FFF'FFFFu; }
    std::optional<float> result =
        arithmetic<float>(instruction, as_float(sources[0]), as_float(sources[1]), as_float(sources[2]));
    if (!result) { return std::nullopt; }
    if (modifiers.saturate) { result = clamped(*result); }
    const std::uint64_t bits = float_bits(*result);
    return modifiers.ftz ? flushed(bits) : bits;
}

std::optional<std::uint64_t> double_result(const ptx::Instruction& instruction, const Sources& sources) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    if (instruction.opcode == Opcode::neg) { return sources[0] ^ kSign; }
    if (instruction.opcode == Opcode::abs) { return sources[0] & ~kSign; }
    const std::optional<double> result =
        arithmetic<double>(instruction, std::bit_cast<double>(sources[0]), std::bit_cast<double>(sources[1]),
                           std::bit_cast<double>(sources[2]));
    if (!result) { return std::nullopt; }
    return double_bits(*result);
}

std::uint16_t flushed_half(std::uint16_t half) {
    return (half & 0x7c00) == 0 ? half & 0x8000 : half;
}

/// Computed in long double, where sums and products of halves are exact or keep all bits that rounding needs.
std::optional<std::uint16_t> half_result(const ptx::Instruction& instruction, const Sources& sources, unsigned shift) {
    const Modifiers& modifiers = instruction.modifiers;
    long double value[3];
    for (unsigned i = 0; i < 3; ++i) {
        const auto half = static_cast<std::uint16_t>(sources[i] >> shift);
        value[i] = value_of_half(modifiers.ftz ? flushed_half(half) : half);
        if (i != 0) { continue; }
        if (instruction.opcode == Opcode::neg) { return (modifiers.ftz ? flushed_half(half) : half) ^ 0x8000; }
        if (instruction.opcode == Opcode::abs) { return (modifiers.ftz ? flushed_half(half) : half) & 0x7fff; }
    }
    std::optional<long double> exact = arithmetic<long double>(instruction, value[0], value[1], value[2]);
    if (!exact) { return std::nullopt; }
    if (modifiers.saturate) { exact = clamped(*exact); }
    const std::uint16_t result = nearest_half(*exact, isa::Rounding::rn);
    return modifiers.ftz ? flushed_half(result) : result;
}

std::optional<std::uint64_t> halves_result(const ptx::Instruction& instruction, const Sources& sources) {
    const std::optional<std::uint16_t> low = half_result(instruction, sources, 0);
    if (!low || instruction.type() == Type::f16) { return low; }
    return *low | std::uint64_t{*half_result(instruction, sources, 16)} << 16;
}

long double value_of(std::uint64_t bits, Type type, bool ftz) {
    switch (type) {
        case Type::f16:
            return value_of_half(static_cast<std::uint16_t>(bits));
        case Type::f32:
            return as_float(ftz ? flushed(bits) : bits);
        case Type::f64:
            return std::bit_cast<double>(bits);
        default:
            return static_cast<long double>(as_integer(bits, type));
    }
}

Wide least(Type type) {
    return ptx::is_signed(type) ? -(Wide{1} << (ptx::bits(type) - 1)) : 0;
}
Wide greatest(Type type) {
    return (Wide{1} << (ptx::bits(type) - (ptx::is_signed(type) ? 1 : 0))) - 1;
}

/// PTX ISA, "cvt": values out of range become the nearest value, NaN becomes 0, or 2^(n-1) if one side is 64 bits wide.
Wide integer_of(long double value, Type from, Type to, Rounding rounding) {
    if (std::isnan(value)) {
        const bool wide = from == Type::f64 || ptx::bits(to) == 64;
        return wide ? Wide{1} << (ptx::bits(to) - 1) : 0;
    }
    value = whole(value, rounding);
    if (value <= static_cast<long double>(least(to))) { return least(to); }
    if (value >= static_cast<long double>(greatest(to))) { return greatest(to); }
    return static_cast<Wide>(value);
}

std::uint64_t floating_of(long double value, Type to, const Modifiers& modifiers) {
    const int mode = host_mode(modifiers.rounding);
    if (to == Type::f16) {
        return nearest_half(modifiers.saturate ? clamped(value) : value, half_rounding(modifiers.rounding));
    }
    if (to == Type::f64) {
        const auto result = under<double>(
            mode, [](long double x) { return static_cast<double>(x); }, value);
        return double_bits(modifiers.saturate ? clamped(result) : result);
    }
    const auto result = under<float>(
        mode, [](long double x) { return static_cast<float>(x); }, value);
    const std::uint64_t bits = float_bits(modifiers.saturate ? clamped(result) : result);
    return modifiers.ftz ? flushed(bits) : bits;
}

std::optional<std::uint64_t> converted(const ptx::Instruction& instruction, std::uint64_t bits) {
    const Modifiers& modifiers = instruction.modifiers;
    const Type to = modifiers.types[0], from = modifiers.types[1];
    const auto known = [](Type type) {
        return !ptx::is_floating(type) || type == Type::f16 || type == Type::f32 || type == Type::f64;
    };
    if (!known(to) || !known(from)) { return std::nullopt; }
    if (!ptx::is_floating(to) && !ptx::is_floating(from)) {
        Wide integer = as_integer(bits, from);
        if (modifiers.saturate) { integer = std::clamp(integer, least(to), greatest(to)); }
        return static_cast<std::uint64_t>(as_integer(static_cast<std::uint64_t>(integer), to));
    }
    long double value = value_of(bits, from, modifiers.ftz);
    if (!ptx::is_floating(to)) {
        const Wide integer = integer_of(value, from, to, modifiers.rounding);
        return static_cast<std::uint64_t>(as_integer(static_cast<std::uint64_t>(integer), to));
    }
    if (to_whole_numbers(modifiers.rounding)) { value = whole(value, modifiers.rounding); }
    return floating_of(value, to, modifiers);
}

/// set with sources of f16, or of f16x2, where each half gives a half of the result.
std::uint64_t half_set_result(const Modifiers& modifiers, const Sources& sources) {
    const bool packed = modifiers.types[1] == Type::f16x2;
    const bool floating = modifiers.types[0] == Type::f16 || modifiers.types[0] == Type::f16x2;
    const std::uint64_t truth = floating ? 0x3c00 : packed ? 0xffff : truncated(~std::uint64_t{0}, modifiers.types[0]);
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < (packed ? 32 : 16); shift += 16) {
        const auto single = [&](std::uint64_t bits) {
            return float_bits(static_cast<float>(value_of_half(static_cast<std::uint16_t>(bits >> shift))));
        };
        const bool holds = comparison_holds(modifiers.comparison, Type::f32, single(sources[0]), single(sources[1]));
        if (combined(modifiers, holds, sources[2])) { result |= truth << shift; }
    }
    return result;
}

/// d = all ones or 1.0 if the comparison holds, else zero.
std::uint64_t set_result(const ptx::Instruction& instruction, const Sources& sources) {
    const Modifiers& modifiers = instruction.modifiers;
    if (modifiers.types[1] == Type::f16 || modifiers.types[1] == Type::f16x2) {
        return half_set_result(modifiers, sources);
    }
    const bool flush = modifiers.ftz && modifiers.types[1] == Type::f32;
    const bool holds =
        comparison_holds(modifiers.comparison, modifiers.types[1], flush ? flushed(sources[0]) : sources[0],
                         flush ? flushed(sources[1]) : sources[1]);
    if (!combined(modifiers, holds, sources[2])) { return 0; }
    return modifiers.types[0] == Type::f32 ? float_bits(1.0f) : 0xffffffffu;
}

std::uint64_t permuted(ptx::PermuteMode mode, std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
    const std::uint64_t bytes = truncated(b, Type::u32) << 32 | truncated(a, Type::u32);
    const auto s = static_cast<unsigned>(selector & 3);
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned from = 0;
        switch (mode) {
            case ptx::PermuteMode::f4e:
                from = s + i;
                break;
            case ptx::PermuteMode::b4e:
                from = (s + 8 - i) % 8;
                break;
            case ptx::PermuteMode::rc8:
                from = s;
                break;
            case ptx::PermuteMode::ecl:
                from = std::max(i, s);
                break;
            case ptx::PermuteMode::ecr:
                from = std::min(i, s);
                break;
            default:  // rc16: the lower or the upper half twice
                from = (s & 1) * 2 + i % 2;
        }
        result |= (bytes >> (8 * from) & 0xff) << (8 * i);
    }
    return result;
}

/// PTX ISA, "bfe": bits beyond the value are its sign, or 0.
std::uint64_t extracted(Type type, std::uint64_t a, std::uint64_t position, std::uint64_t length) {
    const unsigned top = ptx::bits(type) - 1;
    const unsigned pos = position & 0xff, len = length & 0xff;
    const bool fill = ptx::is_signed(type) && len != 0 && (a >> std::min(pos + len - 1, top) & 1) != 0;
    std::uint64_t result = 0;
    for (unsigned i = 0; i <= top; ++i) {
        const bool bit = i < len && pos + i <= top ? (a >> (pos + i) & 1) != 0 : fill;
        result |= std::uint64_t{bit} << i;
    }
    return result;
}

/// PTX ISA, "bfi".
std::uint64_t inserted(Type type, std::uint64_t a, std::uint64_t b, std::uint64_t position, std::uint64_t length) {
    const unsigned top = ptx::bits(type) - 1;
    const unsigned pos = position & 0xff, len = length & 0xff;
    for (unsigned i = 0; i < len && pos + i <= top; ++i) {
        b &= ~(std::uint64_t{1} << (pos + i));
        b |= (a >> i & 1) << (pos + i);
    }
    return b;
}

/// PTX ISA, "bfind": the highest bit that differs from the sign; all ones if there is none.
std::uint64_t found(const ptx::Instruction& instruction, std::uint64_t a) {
    const Type type = instruction.type();
    const unsigned top = ptx::bits(type) - 1;
    if (ptx::is_signed(type) && (a >> top & 1) != 0) { a = ~a; }
    for (unsigned i = top + 1; i-- > 0;) {
        if (a >> i & 1) { return instruction.modifiers.shift_amount ? top - i : i; }
    }
    return 0xffffffffu;
}

std::uint64_t packed_differences(const ptx::Instruction& instruction, const Sources& sources) {
    const Modifiers& modifiers = instruction.modifiers;
    const bool halves = instruction.opcode == Opcode::vabsdiff2;
    const auto type_of = [&](bool is_signed) {
        return halves ? (is_signed ? Type::s16 : Type::u16) : (is_signed ? Type::s8 : Type::u8);
    };
    const unsigned width = halves ? 16 : 8;
    std::uint64_t result = 0;
    Wide sum = as_integer(sources[2], Type::u32);
    for (unsigned i = 0; i < 32 / width; ++i) {
        const Wide a = as_integer(sources[0] >> (width * i), type_of(ptx::is_signed(modifiers.types[1])));
        const Wide b = as_integer(sources[1] >> (width * i), type_of(ptx::is_signed(modifiers.types[2])));
        Wide difference = a < b ? b - a : a - b;
        sum += difference;
        if (modifiers.saturate) {
            difference = std::min(difference, greatest(type_of(ptx::is_signed(modifiers.types[0]))));
        }
        result |= truncated(static_cast<std::uint64_t>(difference), type_of(false)) << (width * i);
    }
    return modifiers.accumulate ? truncated(static_cast<std::uint64_t>(sum), Type::u32) : result;
}

std::optional<std::uint64_t> saturating(const ptx::Instruction& instruction, const Sources& sources) {
    const Wide a = as_integer(sources[0], Type::s32), b = as_integer(sources[1], Type::s32);
    Wide result = 0;
    switch (instruction.opcode) {
        case Opcode::add:
            result = a + b;
            break;
        case Opcode::sub:
            result = a - b;
            break;
        case Opcode::mad:
            result = (a * b >> 32) + as_integer(sources[2], Type::s32);
            break;
        default:
            return std::nullopt;
    }
    return static_cast<std::uint64_t>(std::clamp(result, least(Type::s32), greatest(Type::s32)));
}

std::uint64_t selected(const ptx::Instruction& instruction, const Sources& sources) {
    if (instruction.modifiers.types[1] == Type::s32) {
        return as_integer(sources[2], Type::s32) >= 0 ? sources[0] : sources[1];
    }
    return as_float(instruction.modifiers.ftz ? flushed(sources[2]) : sources[2]) >= 0 ? sources[0] : sources[1];
}

}  // namespace

double as_double(std::uint64_t bits, Type type) {
    if (type == Type::f16) { return value_of_half(static_cast<std::uint16_t>(bits)); }
    return type == Type::f64 ? std::bit_cast<double>(bits) : static_cast<double>(as_float(bits));
}

float as_float(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

std::uint64_t flushed(std::uint64_t bits) {
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

std::uint64_t double_bits(double value) {
    return std::isnan(value) ? 0xfff8000000000000u : std::bit_cast<std::uint64_t>(value);
}

std::uint64_t float_bits(float value) {
    return std::isnan(value) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(value);
}

std::uint64_t half_sum(Type type, std::uint64_t a, std::uint64_t b) {
    const auto sum = [&](unsigned shift) -> std::uint64_t {
        const auto half = [&](std::uint64_t bits) { return value_of_half(static_cast<std::uint16_t>(bits >> shift)); };
        return nearest_half(half(a) + half(b), isa::Rounding::rn);
    };
    return type == Type::f16 ? sum(0) : sum(0) | sum(16) << 16;
}

bool comparison_holds(ptx::Comparison comparison, Type type, std::uint64_t a, std::uint64_t b) {
    using ptx::Comparison;
    // In which relations of two numbers it holds; `?` means that one of them is NaN.
    static const std::map<Comparison, std::string_view> relations = {
        {Comparison::eq, "="},    {Comparison::ne, "<>"},   {Comparison::lt, "<"},   {Comparison::le, "<="},
        {Comparison::gt, ">"},    {Comparison::ge, ">="},   {Comparison::equ, "=?"}, {Comparison::neu, "<>?"},
        {Comparison::ltu, "<?"},  {Comparison::leu, "<=?"}, {Comparison::gtu, ">?"}, {Comparison::geu, ">=?"},
        {Comparison::num, "<=>"}, {Comparison::nan, "?"}};
    const auto relation_of = [](auto x, auto y) { return x < y ? '<' : x == y ? '=' : x > y ? '>' : '?'; };
    const char relation = ptx::is_floating(type) ? relation_of(as_double(a, type), as_double(b, type))
                                                 : relation_of(as_integer(a, type), as_integer(b, type));
    return relations.at(comparison).find(relation) != std::string_view::npos;
}

bool combined(const Modifiers& modifiers, bool holds, std::uint64_t predicate) {
    if (modifiers.combine == ptx::Combine::and_) { return holds && predicate != 0; }
    if (modifiers.combine == ptx::Combine::or_) { return holds || predicate != 0; }
    if (modifiers.combine == ptx::Combine::xor_) { return holds != (predicate != 0); }
    return holds;
}

std::optional<Wide> reduced(ptx::AtomicOperation operation, Wide a, Wide b) {
    switch (operation) {
        case ptx::AtomicOperation::add:
            return a + b;
        case ptx::AtomicOperation::min:
            return std::min(a, b);
        case ptx::AtomicOperation::max:
            return std::max(a, b);
        case ptx::AtomicOperation::bit_and:
            return a & b;
        case ptx::AtomicOperation::bit_or:
            return a | b;
        case ptx::AtomicOperation::bit_xor:
            return a ^ b;
        default:
            return std::nullopt;
    }
}

std::optional<std::uint64_t> floating_result(const ptx::Instruction& instruction, const Sources& sources) {
    if (instruction.modifiers.precision != ptx::Precision::none) { return std::nullopt; }
    if (instruction.opcode == Opcode::cvt) { return converted(instruction, sources[0]); }
    switch (instruction.type()) {
        case Type::f16:
        case Type::f16x2:
            return halves_result(instruction, sources);
        case Type::f32:
            return single_result(instruction, sources);
        case Type::f64:
            return double_result(instruction, sources);
        default:
            return std::nullopt;
    }
}

std::optional<std::uint64_t> bitwise_result(const ptx::Instruction& instruction, const Sources& sources) {
    const Type type = instruction.type();
    const unsigned width = ptx::bits(type);
    switch (instruction.opcode) {
        case Opcode::set:
            return set_result(instruction, sources);
        case Opcode::slct:
            return selected(instruction, sources);
        case Opcode::cnot:
            return std::uint64_t{truncated(sources[0], type) == 0};
        case Opcode::copysign: {
            const std::uint64_t sign = std::uint64_t{1} << (width - 1);
            return (sources[0] & sign) | (sources[1] & ~sign);
        }
        case Opcode::bfe:
            return extracted(type, truncated(sources[0], type), sources[1], sources[2]);
        case Opcode::bfi:
            return inserted(type, sources[0], sources[1], sources[2], sources[3]);
        case Opcode::bfind:
            return found(instruction, truncated(sources[0], type));
        case Opcode::brev: {
            std::uint64_t result = 0;
            for (unsigned i = 0; i < width; ++i) { result |= (sources[0] >> i & 1) << (width - 1 - i); }
            return result;
        }
        case Opcode::clz: {
            unsigned zeros = 0;
            while (zeros < width && (sources[0] >> (width - 1 - zeros) & 1) == 0) { ++zeros; }
            return zeros;
        }
        case Opcode::prmt:
            if (instruction.modifiers.permute == ptx::PermuteMode::generic) { return std::nullopt; }
            return permuted(instruction.modifiers.permute, sources[0], sources[1], sources[2]);
        case Opcode::vabsdiff2:
        case Opcode::vabsdiff4:
            return packed_differences(instruction, sources);
        default:
            if (instruction.modifiers.saturate && type == Type::s32) { return saturating(instruction, sources); }
            return std::nullopt;
    }
}

}  // namespace lookahead::test
