#include "core/hdf5/output/output_image.h"

#include <algorithm>

#include "core/error/error.h"
#include "core/hdf5/output/checksum.h"
#include "core/hdf5/output/messages.h"

namespace lookahead::hdf5 {

namespace {

constexpr std::uint64_t kSuperblockBytes = 48;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

}  // namespace

OutputImage::OutputImage(const std::string& path) : path_(path), space_(path), heap_(space_), records_(1) {
    space_.reserve(kSuperblockBytes);
    root().is_group = true;
}

OutputRecord& OutputImage::add(OutputRecord& parent, std::string_view name, bool is_group) {
    const std::string own = parent.path + "/" + std::string(name);
    if (name.empty() || name == "." || name.find('/') != std::string_view::npos || name.size() > 0xffff) {
        throw InputError(path_ + ": HDF5 knows no name like " + own + ": a name is not empty, not . and has no /");
    }
    if (std::ranges::find(parent.links, name, &OutputRecord::Link::name) != parent.links.end()) {
        throw InputError(path_ + ": there are two of the name " + own);
    }
    OutputRecord& record = records_.emplace_back();
    record.path = own;
    record.is_group = is_group;
    parent.links.push_back({std::string(name), &record});
    return record;
}

void OutputImage::add_attribute(OutputRecord& record, std::string_view name, std::span<const std::byte> type,
                                std::span<const std::uint64_t> shape, std::span<const std::byte> value) {
    LOOKAHEAD_ASSERT(std::ranges::find(record.attributes, name) == record.attributes.end(),
                     record.path + " has the attribute " + std::string(name) + " already");
    record.attributes.emplace_back(name);
    record.header.add(MessageType::attribute,
                      [&](ByteWriter& writer) { put_attribute(writer, name, type, shape, value); });
}

HeapReference OutputImage::add_text(std::string_view text) {
    return heap_.add(std::as_bytes(std::span(text)), static_cast<std::uint32_t>(text.size()));
}

void OutputImage::finish() {
    place_headers();
    write_headers();
    heap_.finish();
    write_superblock();
    space_.close();
}

/// Lays the headers out by writing what refers to others once with addresses that are not known yet.
void OutputImage::place_headers() {
    std::uint64_t bytes = 0;
    for (OutputRecord& record : records_) {
        std::ranges::sort(record.links, {}, &OutputRecord::Link::name);
        const std::size_t own_messages = record.header.message_bytes();
        const std::size_t own_attributes = record.attributes.size();
        put_references(record);
        record.address = bytes;
        bytes += aligned(record.header.size(record.attributes.size()));
        record.header.cut(own_messages);
        record.attributes.resize(own_attributes);
    }
    const std::uint64_t begin = space_.reserve(bytes);
    for (OutputRecord& record : records_) {
        record.address += begin;
    }
    placed_ = true;
}

void OutputImage::write_headers() {
    ByteWriter writer;
    for (OutputRecord& record : records_) {
        put_references(record);
        writer.cut(0);
        record.header.put_into(writer, record.attributes.size());
        space_.write(record.address, writer.bytes());
    }
}

void OutputImage::put_references(OutputRecord& record) {
    if (record.is_group) {
        record.header.add(MessageType::link_info, &put_link_info);
        record.header.add(MessageType::group_info,
                          [&](ByteWriter& writer) { put_group_info(writer, record.links.size()); });
        for (const auto& [name, target] : record.links) {
            record.header.add(MessageType::link, [&](ByteWriter& writer) { put_link(writer, name, target->address); });
        }
    }
    put_scales(record);
    put_scale_users(record);
    if (!record.attributes.empty()) {
        record.header.add(MessageType::attribute_info, &put_attribute_info);
    }
}

/// DIMENSION_LIST: for each dimension its scales.
void OutputImage::put_scales(OutputRecord& record) {
    if (record.scales.empty()) {
        return;
    }
    std::vector<HeapReference> lists(record.shape.size());
    for (std::size_t dimension = 0; placed_ && dimension < lists.size(); ++dimension) {
        std::vector<std::uint64_t> addresses;
        for (const OutputRecord* scale : record.scales[dimension]) {
            addresses.push_back(scale->address);
        }
        if (!addresses.empty()) {
            const auto bytes = std::as_bytes(std::span(addresses));
            lists[dimension] = heap_.add(bytes, static_cast<std::uint32_t>(addresses.size()));
        }
    }
    const std::uint64_t dimensions = lists.size();
    add_attribute(record, "DIMENSION_LIST", encoded_scale_list_type(), {&dimensions, 1},
                  std::as_bytes(std::span(lists)));
}

/// REFERENCE_LIST: whom a scale is attached to.
void OutputImage::put_scale_users(OutputRecord& record) {
    if (record.users.empty()) {
        return;
    }
    ByteWriter users;
    for (const auto& [dataset, dimension] : record.users) {
        users.put(dataset->address);
        users.put(dimension);
        users.put_zeros(4);
    }
    const std::uint64_t count = record.users.size();
    add_attribute(record, "REFERENCE_LIST", encoded_scale_user_type(), {&count, 1}, users.bytes());
}

void OutputImage::write_superblock() {
    ByteWriter writer;
    writer.put_text("\x89HDF\r\n\x1a\n");
    writer.put_byte(2);            // version
    writer.put_byte(8);            // bytes of an address
    writer.put_byte(8);            // bytes of a size
    writer.put_byte(0);            // flags
    writer.put<std::uint64_t>(0);  // where the file begins
    writer.put(kNoAddress);        // no extension
    writer.put(space_.size());
    writer.put(root().address);
    writer.put(checksum(writer.bytes()));
    space_.write(0, writer.bytes());
}

}  // namespace lookahead::hdf5
