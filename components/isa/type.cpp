#include "components/isa/type.h"

#include <array>

#include "core/error/error.h"

namespace lookahead::isa {
namespace {

struct TypeRow {
    std::string_view name;
    Type type;
    TypeClass type_class;
    unsigned bits;
};

constexpr std::array<TypeRow, 18> kTypes{{
    {"none", Type::none, TypeClass::none, 0},
    {"b8", Type::b8, TypeClass::bits, 8},
    {"b16", Type::b16, TypeClass::bits, 16},
    {"b32", Type::b32, TypeClass::bits, 32},
    {"b64", Type::b64, TypeClass::bits, 64},
    {"u8", Type::u8, TypeClass::unsigned_integer, 8},
    {"u16", Type::u16, TypeClass::unsigned_integer, 16},
    {"u32", Type::u32, TypeClass::unsigned_integer, 32},
    {"u64", Type::u64, TypeClass::unsigned_integer, 64},
    {"s8", Type::s8, TypeClass::signed_integer, 8},
    {"s16", Type::s16, TypeClass::signed_integer, 16},
    {"s32", Type::s32, TypeClass::signed_integer, 32},
    {"s64", Type::s64, TypeClass::signed_integer, 64},
    {"f16", Type::f16, TypeClass::floating, 16},
    {"f16x2", Type::f16x2, TypeClass::floating, 32},
    {"f32", Type::f32, TypeClass::floating, 32},
    {"f64", Type::f64, TypeClass::floating, 64},
    {"pred", Type::pred, TypeClass::predicate, 1},
}};

constexpr bool rows_stand_in_the_order_of_the_enumeration() {
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        if (static_cast<std::size_t>(kTypes[i].type) != i) { return false; }
    }
    return true;
}
static_assert(rows_stand_in_the_order_of_the_enumeration());

const TypeRow& row(Type type) {
    return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

TypeClass type_class(Type type) {
    return row(type).type_class;
}

unsigned bits(Type type) {
    return row(type).bits;
}

unsigned bytes(Type type) {
    return row(type).bits / 8;
}

std::string_view name_of(Type type) {
    return row(type).name;
}

std::optional<Type> type_named(std::string_view name) {
    for (const TypeRow& candidate : kTypes) {
        if (candidate.type != Type::none && candidate.name == name) { return candidate.type; }
    }
    return std::nullopt;
}

Type with_bits(Type type, unsigned width) {
    for (const TypeRow& candidate : kTypes) {
        if (candidate.type_class == type_class(type) && candidate.bits == width && candidate.type != Type::f16x2) {
            return candidate.type;
        }
    }
    LOOKAHEAD_ASSERT(false, "no type of this class has {} bits", width);
}

}  // namespace lookahead::isa
