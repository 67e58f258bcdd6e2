#include "core/hdf5/output/output_group.h"

#include <algorithm>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/output/chunked_values.h"
#include "core/hdf5/output/messages.h"
#include "core/hdf5/output/output_image.h"

namespace lookahead::hdf5 {

namespace {

/// Below this size compression saves less than it costs.
constexpr std::size_t kLargeBytes = 16 * 1024;
/// Up to this size values lie in the dataset's header.
constexpr std::size_t kCompactBytes = 512;

void put_compact(ObjectHeader& header, std::span<const std::byte> values) {
    header.add(MessageType::fill_value, [](ByteWriter& writer) { put_fill_value(writer, Allocation::early); });
    header.add(MessageType::layout, [&](ByteWriter& writer) { put_compact_layout(writer, values); });
}

void put_contiguous(ObjectHeader& header, FileSpace& space, std::span<const std::byte> values) {
    const std::uint64_t address = values.empty() ? kNoAddress : space.append(values);
    header.add(MessageType::fill_value, [](ByteWriter& writer) { put_fill_value(writer, Allocation::late); });
    header.add(MessageType::layout, [&](ByteWriter& writer) { put_contiguous_layout(writer, address, values.size()); });
}

void put_chunked(ObjectHeader& header, FileSpace& space, std::span<const std::byte> values,
                 std::span<const std::uint64_t> shape, std::uint64_t element_bytes) {
    const ChunkedValues chunks = write_chunks(space, values, shape, element_bytes);
    header.add(MessageType::fill_value, [](ByteWriter& writer) { put_fill_value(writer, Allocation::incremental); });
    header.add(MessageType::layout, [&](ByteWriter& writer) { put_chunked_layout(writer, chunks, element_bytes); });
    header.add(MessageType::filters, [&](ByteWriter& writer) { put_filters(writer, element_bytes); });
}

}  // namespace

OutputGroup OutputGroup::create_group(std::string_view name) {
    return {*image_, image_->add(*record_, name, true)};
}

OutputGroup OutputGroup::group(std::string_view name) {
    const auto link = std::ranges::find(record_->links, name, &OutputRecord::Link::name);
    return link == record_->links.end() ? create_group(name) : OutputGroup(*image_, *link->target);
}

OutputDataset OutputGroup::write(std::string_view name, ElementType type, std::span<const std::byte> values,
                                 std::span<const std::uint64_t> shape, const Meaning& meaning) {
    OutputRecord& record = image_->add(*record_, name, false);
    record.shape.assign(shape.begin(), shape.end());
    OutputDataset dataset(*image_, record);
    const std::uint64_t element_bytes = stored_bytes(type);
    LOOKAHEAD_ASSERT(dataset.size() * element_bytes == values.size(),
                     "the values of " + record.path + " do not fill its shape");
    record.header.add(MessageType::dataspace, [&](ByteWriter& writer) { put_space(writer, shape); });
    record.header.add(MessageType::datatype, [&](ByteWriter& writer) { writer.put_bytes(encoded_type(type)); });
    if (!shape.empty() && values.size() >= kLargeBytes) {
        put_chunked(record.header, image_->space(), values, shape, element_bytes);
    } else if (!values.empty() && values.size() <= kCompactBytes) {
        put_compact(record.header, values);
    } else {
        put_contiguous(record.header, image_->space(), values);
    }
    dataset.set_attribute("units", meaning.units);
    dataset.set_attribute("description", meaning.description);
    return dataset;
}

OutputDataset OutputGroup::write_scalar(std::string_view name, bool value, const Meaning& meaning) {
    const std::int8_t stored = value ? 1 : 0;
    return write(name, ElementType::boolean, std::as_bytes(std::span(&stored, 1)), {}, meaning);
}

OutputDataset OutputGroup::write_scalar(std::string_view name, std::string_view value, const Meaning& meaning) {
    const HeapReference text = image_->add_text(value);
    return write(name, ElementType::text, std::as_bytes(std::span(&text, 1)), {}, meaning);
}

OutputDataset OutputGroup::write_texts(std::string_view name, std::span<const std::string> values,
                                       const Meaning& meaning) {
    std::vector<HeapReference> texts;
    texts.reserve(values.size());
    for (const std::string& value : values) {
        texts.push_back(image_->add_text(value));
    }
    const std::uint64_t rows = values.size();
    return write(name, ElementType::text, std::as_bytes(std::span(texts)), {&rows, 1}, meaning);
}

}  // namespace lookahead::hdf5
