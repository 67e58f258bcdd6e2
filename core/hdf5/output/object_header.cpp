#include "core/hdf5/output/object_header.h"

#include "core/error/error.h"
#include "core/hdf5/output/checksum.h"

namespace lookahead::hdf5 {

namespace {

constexpr std::size_t kMessageHeaderBytes = 4;     // type, size, flags
constexpr std::size_t kMostMessageBytes = 0xffff;  // what a message's size field holds
constexpr std::size_t kUsualAttributes = 8;        // from more on HDF5 keeps them in a heap, unless the header says so

std::size_t prefix_bytes(std::size_t attributes) {
    constexpr std::size_t kPrefix = 4 + 1 + 1 + 4;  // signature, version, flags, size of the messages
    return kPrefix + (attributes > kUsualAttributes ? 4 : 0);
}

}  // namespace

std::size_t ObjectHeader::start(MessageType type) {
    const std::size_t begin = messages_.size();
    messages_.put_byte(static_cast<unsigned>(type));
    messages_.put<std::uint16_t>(0);
    const bool constant = type == MessageType::datatype || type == MessageType::fill_value;
    messages_.put_byte(constant ? 1 : 0);
    return begin;
}

void ObjectHeader::finish(std::size_t begin) {
    const std::size_t bytes = messages_.size() - begin - kMessageHeaderBytes;
    LOOKAHEAD_ASSERT(bytes <= kMostMessageBytes, "a header message of HDF5 takes less than 64 KiB");
    messages_.set(begin + 1, static_cast<std::uint16_t>(bytes));
}

std::size_t ObjectHeader::size(std::size_t attributes) const {
    return prefix_bytes(attributes) + messages_.size() + sizeof(std::uint32_t);
}

void ObjectHeader::put_into(ByteWriter& writer, std::size_t attributes) const {
    const std::size_t begin = writer.size();
    writer.put_text("OHDR");
    writer.put_byte(2);  // version
    constexpr unsigned kSizeTakesFourBytes = 0x02;
    constexpr unsigned kSaysHowAttributesAreKept = 0x10;
    if (attributes > kUsualAttributes) {
        writer.put_byte(kSizeTakesFourBytes | kSaysHowAttributesAreKept);
        writer.put(static_cast<std::uint16_t>(attributes));  // at most so many in the header
        writer.put(static_cast<std::uint16_t>(kUsualAttributes - 2));
    } else {
        writer.put_byte(kSizeTakesFourBytes);
    }
    writer.put(static_cast<std::uint32_t>(messages_.size()));
    writer.put_bytes(messages_.bytes());
    writer.put(checksum(writer.bytes().subspan(begin)));
}

}  // namespace lookahead::hdf5
