#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lookahead::isa {

/// The fundamental types of the PTX ISA, also used by machine instructions.
enum class Type : std::uint8_t {
    none,
    b8,
    b16,
    b32,
    b64,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    f32,
    f64,
    pred
};

/// The meaning of a type's bits.
enum class TypeClass : std::uint8_t { none, bits, unsigned_integer, signed_integer, floating, predicate };

TypeClass type_class(Type type);
/// Width in bits; a predicate has 1, `none` has 0.
unsigned bits(Type type);
/// Size in memory in bytes; predicates cannot be stored and have 0.
unsigned bytes(Type type);

inline bool is_floating(Type type) {
    return type_class(type) == TypeClass::floating;
}
inline bool is_signed(Type type) {
    return type_class(type) == TypeClass::signed_integer;
}
inline bool is_unsigned(Type type) {
    return type_class(type) == TypeClass::unsigned_integer;
}
inline bool is_integer(Type type) {
    return is_signed(type) || is_unsigned(type);
}
inline bool is_bits(Type type) {
    return type_class(type) == TypeClass::bits;
}
/// Whether the type is an integer or bits, of 32 bits (a word) or of 64 bits (a pair).
inline bool is_word(Type type) {
    return type == Type::b32 || type == Type::u32 || type == Type::s32;
}
inline bool is_pair(Type type) {
    return type == Type::b64 || type == Type::u64 || type == Type::s64;
}

inline bool is_word_or_pair(Type type) {
    return is_word(type) || is_pair(type);
}

/// Name without the dot: "u32".
std::string_view name_of(Type type);
/// The type with this name (without the dot), if there is one.
std::optional<Type> type_named(std::string_view name);

/// Same class with another width: with_bits(s32, 64) is s64. The width must exist in that class.
Type with_bits(Type type, unsigned width);

/// Bytes of one element of `type` in an instruction: 1, 2, 4 or 8. Non-numbers count as a word.
constexpr unsigned type_bytes(Type type) {
    switch (type) {
        case Type::b8:
        case Type::u8:
        case Type::s8:
            return 1;
        case Type::b16:
        case Type::u16:
        case Type::s16:
        case Type::f16:
            return 2;
        case Type::b64:
        case Type::u64:
        case Type::s64:
        case Type::f64:
            return 8;
        default:
            return 4;
    }
}

/// Warp registers that one element of `type` takes.
constexpr unsigned type_rows(Type type) {
    return type_bytes(type) == 8 ? 2 : 1;
}

}  // namespace lookahead::isa
