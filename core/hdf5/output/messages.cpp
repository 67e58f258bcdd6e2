#include "core/hdf5/output/messages.h"

#include <algorithm>
#include <array>

#include "core/error/error.h"
#include "core/hdf5/output/object_header.h"

namespace lookahead::hdf5 {

namespace {

enum class TypeClass : std::uint8_t {
    integer = 0,
    real = 1,
    text = 3,
    compound = 6,
    reference = 7,
    enumeration = 8,
    variable = 9,
};

/// Versions 1 and 3 differ in how members are padded: compounds and enumerations are written in version 3.
void put_type_prefix(ByteWriter& writer, TypeClass type, unsigned version, std::uint32_t bits, std::uint32_t bytes) {
    writer.put_byte(version << 4 | static_cast<unsigned>(type));
    writer.put_byte(bits & 0xff);
    writer.put_byte(bits >> 8 & 0xff);
    writer.put_byte(bits >> 16 & 0xff);
    writer.put(bytes);
}

void put_integer(ByteWriter& writer, std::uint32_t bytes, bool is_signed) {
    constexpr std::uint32_t kSigned = 0x08;
    put_type_prefix(writer, TypeClass::integer, 1, is_signed ? kSigned : 0, bytes);
    writer.put<std::uint16_t>(0);  // first bit
    writer.put(static_cast<std::uint16_t>(8 * bytes));
}

/// IEEE 754, 64 bits.
void put_real(ByteWriter& writer) {
    constexpr std::uint32_t kImpliedOne = 0x20;
    constexpr std::uint32_t kSignBit = 63;
    put_type_prefix(writer, TypeClass::real, 1, kSignBit << 8 | kImpliedOne, 8);
    writer.put<std::uint16_t>(0);   // first bit
    writer.put<std::uint16_t>(64);  // bits
    writer.put_byte(52);            // exponent: first bit and bits
    writer.put_byte(11);
    writer.put_byte(0);  // mantissa: first bit and bits
    writer.put_byte(52);
    writer.put<std::uint32_t>(1023);  // bias
}

void put_text(ByteWriter& writer) {
    constexpr std::uint32_t kText = 1;
    constexpr std::uint32_t kUtf8 = 1;
    put_type_prefix(writer, TypeClass::variable, 1, kUtf8 << 8 | kText, 16);
    put_integer(writer, 1, false);
}

/// The enumeration that h5py reads as bool.
void put_boolean(ByteWriter& writer) {
    put_type_prefix(writer, TypeClass::enumeration, 3, 2, 1);
    put_integer(writer, 1, true);
    writer.put_terminated("FALSE");
    writer.put_terminated("TRUE");
    writer.put_byte(0);
    writer.put_byte(1);
}

void put_reference(ByteWriter& writer) {
    put_type_prefix(writer, TypeClass::reference, 1, 0, 8);
}

void put_type(ByteWriter& writer, ElementType type) {
    switch (type) {
        case ElementType::boolean:
            return put_boolean(writer);
        case ElementType::int32:
        case ElementType::int64:
            return put_integer(writer, static_cast<std::uint32_t>(stored_bytes(type)), true);
        case ElementType::uint32:
        case ElementType::uint64:
            return put_integer(writer, static_cast<std::uint32_t>(stored_bytes(type)), false);
        case ElementType::float64:
            return put_real(writer);
        case ElementType::text:
            return put_text(writer);
        case ElementType::other:
            break;
    }
    throw InternalError("there is no HDF5 type for this element type");
}

std::array<ByteWriter, 7> encode_types() {
    std::array<ByteWriter, 7> types;
    for (const auto type : {ElementType::boolean, ElementType::int32, ElementType::int64, ElementType::uint32,
                            ElementType::uint64, ElementType::float64, ElementType::text}) {
        put_type(types[static_cast<std::size_t>(type)], type);
    }
    return types;
}

ByteWriter encode_scale_list_type() {
    ByteWriter writer;
    put_type_prefix(writer, TypeClass::variable, 1, 0, 16);
    put_reference(writer);
    return writer;
}

ByteWriter encode_scale_user_type() {
    ByteWriter writer;
    put_type_prefix(writer, TypeClass::compound, 3, 2, 16);
    writer.put_terminated("dataset");
    writer.put_byte(0);  // where it begins
    put_reference(writer);
    writer.put_terminated("dimension");
    writer.put_byte(8);
    put_integer(writer, 4, true);
    return writer;
}

}  // namespace

std::uint64_t stored_bytes(ElementType type) {
    switch (type) {
        case ElementType::boolean:
            return 1;
        case ElementType::int32:
        case ElementType::uint32:
            return 4;
        case ElementType::int64:
        case ElementType::uint64:
        case ElementType::float64:
            return 8;
        case ElementType::text:
            return 16;
        case ElementType::other:
            break;
    }
    throw InternalError("there is no HDF5 type for this element type");
}

std::span<const std::byte> encoded_type(ElementType type) {
    static const auto types = encode_types();
    return types.at(static_cast<std::size_t>(type)).bytes();
}

std::span<const std::byte> encoded_scale_list_type() {
    static const ByteWriter type = encode_scale_list_type();
    return type.bytes();
}

std::span<const std::byte> encoded_scale_user_type() {
    static const ByteWriter type = encode_scale_user_type();
    return type.bytes();
}

ByteWriter encoded_fixed_text_type(std::size_t bytes) {
    ByteWriter writer;
    put_type_prefix(writer, TypeClass::text, 1, 0, static_cast<std::uint32_t>(bytes));
    return writer;
}

void put_space(ByteWriter& writer, std::span<const std::uint64_t> shape) {
    writer.put_byte(2);  // version
    writer.put_byte(static_cast<unsigned>(shape.size()));
    writer.put_byte(0);                      // flags: the shape cannot grow
    writer.put_byte(shape.empty() ? 0 : 1);  // scalar or simple
    writer.put_bytes(std::as_bytes(shape));
}

void put_attribute(ByteWriter& writer, std::string_view name, std::span<const std::byte> type,
                   std::span<const std::uint64_t> shape, std::span<const std::byte> value) {
    writer.put_byte(3);  // version
    writer.put_byte(0);  // flags
    writer.put(static_cast<std::uint16_t>(name.size() + 1));
    writer.put(static_cast<std::uint16_t>(type.size()));
    writer.put(static_cast<std::uint16_t>(4 + shape.size_bytes()));
    writer.put_byte(0);  // ASCII
    writer.put_terminated(name);
    writer.put_bytes(type);
    put_space(writer, shape);
    writer.put_bytes(value);
}

void put_fill_value(ByteWriter& writer, Allocation allocation) {
    constexpr unsigned kIfSet = 2 << 2;  // a fill value is written if somebody sets one
    writer.put_byte(3);                  // version
    writer.put_byte(static_cast<unsigned>(allocation) | kIfSet);
}

void put_compact_layout(ByteWriter& writer, std::span<const std::byte> values) {
    writer.put_byte(3);  // version
    writer.put_byte(0);  // compact
    writer.put(static_cast<std::uint16_t>(values.size()));
    writer.put_bytes(values);
}

void put_contiguous_layout(ByteWriter& writer, std::uint64_t address, std::uint64_t bytes) {
    writer.put_byte(3);  // version
    writer.put_byte(1);  // contiguous
    writer.put(address);
    writer.put(bytes);
}

void put_link_info(ByteWriter& writer) {
    writer.put_zeros(2);  // version, flags
    writer.put(kNoAddress);
    writer.put(kNoAddress);
}

void put_group_info(ByteWriter& writer, std::size_t links) {
    constexpr std::size_t kUsual = 8;  // from more on HDF5 keeps links in a heap, unless the group says so
    constexpr unsigned kSaysHowLinksAreKept = 1;
    writer.put_byte(0);  // version
    writer.put_byte(links > kUsual ? kSaysHowLinksAreKept : 0);
    if (links > kUsual) {
        writer.put(static_cast<std::uint16_t>(std::min<std::size_t>(links, 0xffff)));  // at most so many in the header
        writer.put(static_cast<std::uint16_t>(kUsual - 2));
    }
}

void put_link(ByteWriter& writer, std::string_view name, std::uint64_t address) {
    constexpr unsigned kLengthTakesTwoBytes = 1;
    writer.put_byte(1);  // version
    writer.put_byte(kLengthTakesTwoBytes);
    writer.put(static_cast<std::uint16_t>(name.size()));
    writer.put_text(name);
    writer.put(address);
}

void put_attribute_info(ByteWriter& writer) {
    writer.put_zeros(2);  // version, flags
    writer.put(kNoAddress);
    writer.put(kNoAddress);
}

}  // namespace lookahead::hdf5
