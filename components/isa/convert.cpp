#include <limits>

#include "components/isa/directed_rounding.h"
#include "components/isa/float_values.h"
#include "components/isa/half.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

/// Like with_integer, but also for types of 8 bits.
template <class Function>
AluHandler with_any_integer(Type type, const Function& function) {
    switch (type) {
        case Type::b8:
        case Type::u8:
            return function.template operator()<std::uint8_t>();
        case Type::s8:
            return function.template operator()<std::int8_t>();
        default:
            return with_integer(type, function);
    }
}

bool is_float(Type type) {
    return type == Type::f16 || type == Type::f32 || type == Type::f64;
}

// Integer to integer.

template <class To, class From>
To truncate(From value) {
    return static_cast<To>(value);
}
template <class To, class From>
To clamp(From value) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::is_signed_v<From>) {
        const From floor = std::is_signed_v<To> && sizeof(To) <= sizeof(From) ? static_cast<From>(Limits::min())
                           : std::is_signed_v<To>                             ? std::numeric_limits<From>::min()
                                                                              : From{0};
        value = value < floor ? floor : value;
    }
    constexpr auto kGreatest = static_cast<std::uint64_t>(Limits::max());
    constexpr auto kGreatestFrom = static_cast<std::uint64_t>(std::numeric_limits<From>::max());
    if constexpr (kGreatest < kGreatestFrom) {
        const From ceiling = static_cast<From>(kGreatest);
        value = value > ceiling ? ceiling : value;
    }
    return static_cast<To>(value);
}

AluHandler select_integer_to_integer(const InstructionForm& instruction) {
    return with_any_integer(instruction.type, [&]<class To>() {
        return with_any_integer(instruction.source_type, [&]<class From>() {
            return instruction.saturate ? lanewise<&clamp<To, From>> : lanewise<&truncate<To, From>>;
        });
    });
}

// Integer to floating point.

template <class Float, class From, bool kSaturate>
Float float_of(From value) {
    const Float result = static_cast<Float>(value);
    if constexpr (kSaturate) { return saturate_unit(result); }
    return result;
}
/// For directed rounding: vector code for u32 may use differences, and a difference of zero is negative when rounding
/// down.
template <class Float, class From, bool kSaturate>
Float float_of_directed(From value) {
    if constexpr (std::is_same_v<From, std::uint32_t>) { return float_of<Float, std::int64_t, kSaturate>(value); }
    return float_of<Float, From, kSaturate>(value);
}

template <class Float, class From>
inline constexpr bool kExact = std::numeric_limits<From>::digits <= std::numeric_limits<Float>::digits;

template <class Float, class From, bool kSaturate>
AluHandler select_to_float(Rounding rounding) {
    if (to_nearest(rounding) || kExact<Float, From>) { return lanewise<&float_of<Float, From, kSaturate>>; }
    return rounded<&float_of_directed<Float, From, kSaturate>>(rounding);
}

/// Beyond half precision's range any number is as good as another.
template <class From, Rounding kRounding, bool kSaturate>
std::uint16_t half_of_integer(From value) {
    double number;
    if constexpr (sizeof(From) == 8) {
        number = static_cast<double>(clamp<std::int32_t>(value));
    } else {
        number = static_cast<double>(value);
    }
    return half_of(kSaturate ? saturate_unit(number) : number, kRounding);
}

template <class Function>
AluHandler with_rounding(Rounding rounding, const Function& function) {
    using enum Rounding;
    return with_one_of<rn, rz, rm, rp>(rounding == none ? rn : rounding, function);
}

template <bool kSaturate>
AluHandler select_integer_to_float(const InstructionForm& instruction) {
    return with_any_integer(instruction.source_type, [&]<class From>() -> AluHandler {
        if (instruction.type == Type::f32) { return select_to_float<float, From, kSaturate>(instruction.rounding); }
        if (instruction.type == Type::f64) { return select_to_float<double, From, kSaturate>(instruction.rounding); }
        return with_rounding(instruction.rounding, []<Rounding kRounding>() {
            return lanewise<&half_of_integer<From, kRounding, kSaturate>>;
        });
    });
}

// Floating point to integer.

template <Rounding kRounding, class Float>
Float whole(Float value) {
    switch (kRounding) {
        case Rounding::rzi:
            return std::trunc(value);
        case Rounding::rmi:
            return std::floor(value);
        case Rounding::rpi:
            return std::ceil(value);
        default:
            return std::nearbyint(value);
    }
}

/// Values out of range become the nearest value in range. NaN becomes 0 if neither side is 64 bits wide, else the value
/// with only the top bit set (PTX ISA, cvt).
template <class To, class Float>
To clamp_whole(Float value, bool from_double) {
    using Limits = std::numeric_limits<To>;
    constexpr auto kTopBit = static_cast<To>(std::make_unsigned_t<To>{1} << (8 * sizeof(To) - 1));
    const To for_nan = from_double || sizeof(To) == 8 ? kTopBit : To{0};
    if constexpr (sizeof(To) < 8) {
        const double number = value;
        const double low = number > Limits::min() ? number : double{Limits::min()};
        const double inside = low < Limits::max() ? low : double{Limits::max()};
        using Through = std::conditional_t<std::is_same_v<To, std::uint32_t>, std::int64_t, std::int32_t>;
        const auto result = static_cast<To>(static_cast<Through>(inside));
        return value == value ? result : for_nan;
    } else {
        if (value != value) { return for_nan; }
        constexpr Float kTwo63 = 0x1p63;
        if constexpr (std::is_signed_v<To>) {
            if (value >= kTwo63) { return Limits::max(); }
            return value <= -kTwo63 ? Limits::min() : static_cast<To>(value);
        } else {
            if (value >= 2 * kTwo63) { return Limits::max(); }
            return value <= 0 ? To{0} : static_cast<To>(value);
        }
    }
}

template <class To, Rounding kRounding, bool kFlush>
To integer_of_single(float value) {
    return clamp_whole<To>(whole<kRounding>(flush<kFlush>(value)), false);
}
template <class To, Rounding kRounding, bool>
To integer_of_double(double value) {
    return clamp_whole<To>(whole<kRounding>(value), true);
}
template <class To, Rounding kRounding, bool>
To integer_of_half(std::uint16_t value) {
    return clamp_whole<To>(whole<kRounding>(float_of_half(value)), false);
}

template <class To, Rounding kRounding, bool kFlush>
AluHandler select_from_float(Type source_type) {
    switch (source_type) {
        case Type::f32:
            return lanewise<&integer_of_single<To, kRounding, kFlush>>;
        case Type::f64:
            return lanewise<&integer_of_double<To, kRounding, false>>;
        default:
            return lanewise<&integer_of_half<To, kRounding, false>>;
    }
}

template <class Function>
AluHandler with_whole_rounding(Rounding rounding, const Function& function) {
    using enum Rounding;
    return with_one_of<rni, rzi, rmi, rpi>(rounding, function);
}

AluHandler select_float_to_integer(const InstructionForm& instruction) {
    return with_any_integer(instruction.type, [&]<class To>() {
        return with_whole_rounding(instruction.rounding, [&]<Rounding kRounding>() {
            return instruction.flush_to_zero ? select_from_float<To, kRounding, true>(instruction.source_type)
                                             : select_from_float<To, kRounding, false>(instruction.source_type);
        });
    });
}

// Floating point to floating point.

template <bool kFlush, bool kSaturate>
double double_of_single(float value) {
    const double result = flush<kFlush>(value);
    if constexpr (kSaturate) { return saturate_unit(result); }
    return canonical(result);
}
template <bool kFlush, bool kSaturate>
float single_of_double(double value) {
    return finish<kFlush, kSaturate>(static_cast<float>(value));
}
template <bool kFlush, bool kSaturate>
float single_of_single(float value) {
    return finish<kFlush, kSaturate>(value);
}
template <bool, bool kSaturate>
double double_of_double(double value) {
    if constexpr (kSaturate) { return saturate_unit(value); }
    return canonical(value);
}
template <bool kFlush, bool kSaturate>
float single_of_half(std::uint16_t value) {
    return finish<kFlush, kSaturate>(float_of_half(value));
}
template <bool, bool kSaturate>
double double_of_half(std::uint16_t value) {
    const double result = float_of_half(value);
    if constexpr (kSaturate) { return saturate_unit(result); }
    return canonical(result);
}
template <bool kFlush, Rounding kRounding, bool kSaturate>
std::uint16_t half_of_single(float value) {
    const double number = flush<kFlush>(value);
    return half_of(kSaturate ? saturate_unit(number) : number, kRounding);
}
template <Rounding kRounding, bool kSaturate>
std::uint16_t half_of_double(double value) {
    return half_of(kSaturate ? saturate_unit(value) : value, kRounding);
}
template <bool kFlush, Rounding kRounding, bool kSaturate>
float whole_single(float value) {
    return finish<kFlush, kSaturate>(whole<kRounding>(flush<kFlush>(value)));
}
template <Rounding kRounding, bool kSaturate>
double whole_double(double value) {
    const double result = whole<kRounding>(value);
    if constexpr (kSaturate) { return saturate_unit(result); }
    return canonical(result);
}

template <bool kSaturate>
std::uint16_t half_of_half(std::uint16_t value) {
    const double number = float_of_half(value);
    return half_of(kSaturate ? saturate_unit(number) : number, Rounding::rn);
}
template <Rounding kRounding, bool kSaturate>
std::uint16_t whole_half(std::uint16_t value) {
    const double number = whole<kRounding>(float_of_half(value));
    return half_of(kSaturate ? saturate_unit(number) : number, Rounding::rn);
}

template <bool kFlush, bool kSaturate>
AluHandler select_to_half(const InstructionForm& instruction) {
    if (instruction.source_type == Type::f16 && instruction.rounding == Rounding::none) {
        return lanewise<&half_of_half<kSaturate>>;
    }
    if (instruction.source_type == Type::f16) {
        return with_whole_rounding(instruction.rounding,
                                   []<Rounding kRounding>() { return lanewise<&whole_half<kRounding, kSaturate>>; });
    }
    return with_rounding(instruction.rounding, [&]<Rounding kRounding>() -> AluHandler {
        if (instruction.source_type == Type::f32) { return lanewise<&half_of_single<kFlush, kRounding, kSaturate>>; }
        if (instruction.source_type == Type::f64) { return lanewise<&half_of_double<kRounding, kSaturate>>; }
        return nullptr;
    });
}

template <bool kFlush, bool kSaturate>
AluHandler select_same_float(const InstructionForm& instruction) {
    const bool single = instruction.type == Type::f32;
    if (instruction.rounding == Rounding::none) {
        return single ? lanewise<&single_of_single<kFlush, kSaturate>> : lanewise<&double_of_double<kFlush, kSaturate>>;
    }
    return with_whole_rounding(instruction.rounding, [single]<Rounding kRounding>() {
        return single ? lanewise<&whole_single<kFlush, kRounding, kSaturate>>
                      : lanewise<&whole_double<kRounding, kSaturate>>;
    });
}

template <bool kFlush, bool kSaturate>
AluHandler select_float_to_float(const InstructionForm& instruction) {
    const Type from = instruction.source_type;
    if (instruction.type == Type::f16) { return select_to_half<kFlush, kSaturate>(instruction); }
    if (instruction.type == from) { return select_same_float<kFlush, kSaturate>(instruction); }
    if (instruction.type == Type::f32 && from == Type::f64) {
        return rounded<&single_of_double<kFlush, kSaturate>>(instruction.rounding);
    }
    if (instruction.type == Type::f32) { return lanewise<&single_of_half<kFlush, kSaturate>>; }
    if (from == Type::f32) { return lanewise<&double_of_single<kFlush, kSaturate>>; }
    return lanewise<&double_of_half<kFlush, kSaturate>>;
}

}  // namespace

AluHandler select_convert(const InstructionForm& instruction) {
    if (instruction.operation != Operation::convert) { return nullptr; }
    const bool to_float = is_float(instruction.type), from_float = is_float(instruction.source_type);
    if (!to_float) {
        return from_float ? select_float_to_integer(instruction) : select_integer_to_integer(instruction);
    }
    if (!from_float) {
        return instruction.saturate ? select_integer_to_float<true>(instruction)
                                    : select_integer_to_float<false>(instruction);
    }
    if (instruction.flush_to_zero) {
        return instruction.saturate ? select_float_to_float<true, true>(instruction)
                                    : select_float_to_float<true, false>(instruction);
    }
    return instruction.saturate ? select_float_to_float<false, true>(instruction)
                                : select_float_to_float<false, false>(instruction);
}

}  // namespace lookahead::isa
