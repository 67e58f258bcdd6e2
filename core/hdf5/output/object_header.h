#pragma once

#include <cstddef>
#include <cstdint>

#include "core/hdf5/output/byte_writer.h"

namespace lookahead::hdf5 {

/// An address that is none.
inline constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};

/// The header messages that are written here (format specification IV.A.2).
enum class MessageType : std::uint8_t {
    dataspace = 0x01,
    link_info = 0x02,
    datatype = 0x03,
    fill_value = 0x05,
    link = 0x06,
    layout = 0x08,
    group_info = 0x0a,
    filters = 0x0b,
    attribute = 0x0c,
    attribute_info = 0x15,
};

/// The header of a group or a dataset: messages in one chunk (format specification IV.A.1.b).
class ObjectHeader {
  public:
    /// Adds a message whose body `put(writer)` writes.
    template <class Put>
    void add(MessageType type, const Put& put) {
        const std::size_t begin = start(type);
        put(messages_);
        finish(begin);
    }

    std::size_t message_bytes() const { return messages_.size(); }
    /// Takes back what was added since message_bytes() was `bytes`.
    void cut(std::size_t bytes) { messages_.cut(bytes); }

    /// Bytes in the file of a header with so many attributes.
    std::size_t size(std::size_t attributes) const;
    void put_into(ByteWriter& writer, std::size_t attributes) const;

  private:
    std::size_t start(MessageType type);
    void finish(std::size_t begin);

    ByteWriter messages_;
};

}  // namespace lookahead::hdf5
