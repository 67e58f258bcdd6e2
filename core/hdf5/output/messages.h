#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/hdf5/element_type.h"
#include "core/hdf5/output/byte_writer.h"

/// Bodies of header messages (format specification IV.A.2).
namespace lookahead::hdf5 {

/// Bytes of an element in the file.
std::uint64_t stored_bytes(ElementType type);

/// The body of the message that says what an element is.
std::span<const std::byte> encoded_type(ElementType type);
/// DIMENSION_LIST's: a variable number of references to objects.
std::span<const std::byte> encoded_scale_list_type();
/// REFERENCE_LIST's: an object and a dimension of it, 16 bytes.
std::span<const std::byte> encoded_scale_user_type();
/// ASCII with a terminating zero, `bytes` long in all: what dimension scales say of themselves.
ByteWriter encoded_fixed_text_type(std::size_t bytes);

/// `shape` is empty for a scalar.
void put_space(ByteWriter& writer, std::span<const std::uint64_t> shape);
void put_attribute(ByteWriter& writer, std::string_view name, std::span<const std::byte> type,
                   std::span<const std::uint64_t> shape, std::span<const std::byte> value);

/// When room for values is made.
enum class Allocation : std::uint8_t { early = 1, late = 2, incremental = 3 };
void put_fill_value(ByteWriter& writer, Allocation allocation);

/// Values in the header itself, and values in one piece elsewhere.
void put_compact_layout(ByteWriter& writer, std::span<const std::byte> values);
void put_contiguous_layout(ByteWriter& writer, std::uint64_t address, std::uint64_t bytes);

/// What a group begins with. None of its links and attributes are outside its header.
void put_link_info(ByteWriter& writer);
void put_group_info(ByteWriter& writer, std::size_t links);
void put_link(ByteWriter& writer, std::string_view name, std::uint64_t address);
void put_attribute_info(ByteWriter& writer);

}  // namespace lookahead::hdf5
