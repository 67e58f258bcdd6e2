#include <limits>

#include "components/isa/directed_rounding.h"
#include "components/isa/float_values.h"
#include "components/isa/half.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

/// Like with_integer, but also for types of 8 bits.
AluHandler with_any_integer(Type type, const auto& function) {
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

/// The number as a To; half precision rounds it.
template <class To, bool kFlush, bool kSaturate, Rounding kRounding = Rounding::rn, class Number>
To result_of(Number number) {
    if constexpr (std::is_same_v<To, std::uint16_t>) {
        const double value = number;
        return half_of(kSaturate ? saturate_unit(value) : value, kRounding);
    } else {
        return finish<kFlush, kSaturate>(static_cast<To>(number));
    }
}

/// Beyond half precision's range any number is as good as another.
template <class From, Rounding kRounding, bool kSaturate>
std::uint16_t half_of_integer(From value) {
    if constexpr (sizeof(From) == 8) {
        return half_of_integer<std::int32_t, kRounding, kSaturate>(clamp<std::int32_t>(value));
    } else {
        return result_of<std::uint16_t, false, kSaturate, kRounding>(value);
    }
}

AluHandler with_rounding(Rounding rounding, const auto& function) {
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
To clamp_whole(Float value) {
    using Limits = std::numeric_limits<To>;
    constexpr auto kTopBit = static_cast<To>(std::make_unsigned_t<To>{1} << (8 * sizeof(To) - 1));
    const To for_nan = std::is_same_v<Float, double> || sizeof(To) == 8 ? kTopBit : To{0};
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

/// The value of an operand: half precision as f32, f32 flushed.
template <bool kFlush, class From>
auto number_of(From value) {
    if constexpr (std::is_same_v<From, std::uint16_t>) {
        return float_of_half(value);
    } else {
        return flush<kFlush>(value);
    }
}

template <class To, class From, Rounding kRounding, bool kFlush>
To integer_of_float(From value) {
    return clamp_whole<To>(whole<kRounding>(number_of<kFlush>(value)));
}

AluHandler with_float(Type type, const auto& function) {
    return type == Type::f16   ? function.template operator()<std::uint16_t>()
           : type == Type::f32 ? function.template operator()<float>()
                               : function.template operator()<double>();
}

AluHandler with_whole_rounding(Rounding rounding, const auto& function) {
    using enum Rounding;
    return with_one_of<rni, rzi, rmi, rpi>(rounding, function);
}

AluHandler select_float_to_integer(const InstructionForm& instruction) {
    return with_any_integer(instruction.type, [&]<class To>() {
        return with_float(instruction.source_type, [&]<class From>() {
            return with_whole_rounding(instruction.rounding, [&]<Rounding kRounding>() {
                return instruction.flush_to_zero ? lanewise<&integer_of_float<To, From, kRounding, true>>
                                                 : lanewise<&integer_of_float<To, From, kRounding, false>>;
            });
        });
    });
}

// Floating point to floating point.

template <class To, class From, bool kFlush, bool kSaturate, Rounding kRounding = Rounding::rn>
To float_of_float(From value) {
    return result_of<To, kFlush, kSaturate, kRounding>(number_of<kFlush>(value));
}
template <class T, bool kFlush, bool kSaturate, Rounding kRounding>
T whole_float(T value) {
    return result_of<T, kFlush, kSaturate>(whole<kRounding>(number_of<kFlush>(value)));
}

template <bool kFlush, bool kSaturate>
AluHandler select_float_to_float(const InstructionForm& instruction) {
    const Rounding rounding = instruction.rounding;
    return with_float(instruction.type, [rounding, from = instruction.source_type]<class To>() {
        return with_float(from, [rounding]<class From>() -> AluHandler {
            if constexpr (std::is_same_v<To, From>) {
                if (rounding != Rounding::none) {
                    return with_whole_rounding(rounding, []<Rounding kRounding>() {
                        return lanewise<&whole_float<To, kFlush, kSaturate, kRounding>>;
                    });
                }
            } else if constexpr (std::is_same_v<To, std::uint16_t>) {
                return with_rounding(rounding, []<Rounding kRounding>() {
                    return lanewise<&float_of_float<To, From, kFlush, kSaturate, kRounding>>;
                });
            } else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>) {
                return rounded<&float_of_float<To, From, kFlush, kSaturate>>(rounding);
            }
            return lanewise<&float_of_float<To, From, kFlush, kSaturate>>;
        });
    });
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
