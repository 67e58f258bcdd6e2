#include "core/hdf5/output/chunked_values.h"

#include <zlib.h>

#include <algorithm>

#include "core/error/error.h"
#include "core/hdf5/output/object_header.h"

namespace lookahead::hdf5 {

namespace {

constexpr std::uint64_t kRowsPerChunk = 256;
constexpr std::uint64_t kElementsPerChunk = 8192;
constexpr int kCompressionLevel = 1;
/// Children of a node of the index: twice the K that HDF5 takes where the file names none.
constexpr std::size_t kChildren = 64;

/// A chunk, or a node of the index, and the first chunk below it.
struct Child {
    std::uint64_t address;
    std::uint32_t bytes;  ///< 0 for a node
    std::uint64_t row;
};

std::uint64_t product(std::span<const std::uint64_t> factors) {
    std::uint64_t result = 1;
    for (const std::uint64_t factor : factors) {
        result *= factor;
    }
    return result;
}

/// Whole rows; at most 8192 elements or 256 rows, whichever is more.
std::vector<std::uint64_t> chunk_shape(std::span<const std::uint64_t> shape) {
    std::vector<std::uint64_t> chunk(shape.begin(), shape.end());
    const std::uint64_t row = product(shape.subspan(1));
    chunk[0] = std::min(shape[0], std::max(kRowsPerChunk, kElementsPerChunk / row));
    return chunk;
}

/// HDF5's shuffle filter: first bytes of all elements, then second bytes …
void shuffle(std::span<const std::byte> values, std::uint64_t element_bytes, std::span<std::byte> shuffled) {
    const std::uint64_t elements = shuffled.size() / element_bytes;
    const std::uint64_t filled = values.size() / element_bytes;
    for (std::uint64_t byte = 0; byte < element_bytes; ++byte) {
        for (std::uint64_t element = 0; element < filled; ++element) {
            shuffled[byte * elements + element] = values[element * element_bytes + byte];
        }
        std::ranges::fill(shuffled.subspan(byte * elements + filled, elements - filled), std::byte{0});
    }
}

std::span<const std::byte> compress(std::span<const std::byte> bytes, std::vector<std::byte>& buffer) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    buffer.resize(size);
    const int result =
        compress2(reinterpret_cast<Bytef*>(buffer.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), kCompressionLevel);
    LOOKAHEAD_ASSERT(result == Z_OK, "zlib cannot compress a chunk");
    return std::span(buffer).first(size);
}

/// A node's key: which chunk, and its bytes in the file.
void put_key(ByteWriter& writer, std::uint32_t bytes, std::span<const std::uint64_t> first) {
    writer.put(bytes);
    writer.put<std::uint32_t>(0);  // filters left out
    writer.put_bytes(std::as_bytes(first));
    writer.put<std::uint64_t>(0);  // in the element
}

/// A level of the index over chunks that end before row `end`: writes its nodes, and gives what the level above finds
/// them by.
std::vector<Child> write_level(FileSpace& space, std::span<const Child> children, std::span<const std::uint64_t> chunk,
                               std::uint64_t end, unsigned level) {
    const std::size_t key_bytes = 8 + 8 * (chunk.size() + 1);
    const std::size_t node_bytes = 24 + kChildren * 8 + (kChildren + 1) * key_bytes;
    const std::size_t count = (children.size() + kChildren - 1) / kChildren;
    const std::uint64_t begin = space.reserve(node_bytes * count);
    std::vector<Child> nodes;
    for (std::size_t node = 0; node < count; ++node) {
        const auto own = children.subspan(node * kChildren, std::min(kChildren, children.size() - node * kChildren));
        ByteWriter writer;
        writer.reserve(node_bytes);
        writer.put_text("TREE");
        writer.put_byte(1);  // of chunks
        writer.put_byte(level);
        writer.put(static_cast<std::uint16_t>(own.size()));
        writer.put(node == 0 ? kNoAddress : begin + (node - 1) * node_bytes);
        writer.put(node + 1 == count ? kNoAddress : begin + (node + 1) * node_bytes);
        std::vector<std::uint64_t> first(chunk.size());
        for (const Child& child : own) {
            first[0] = child.row;
            put_key(writer, child.bytes, first);
            writer.put(child.address);
        }
        // The last key is behind all children: that of the next node, or a chunk that there would be.
        if (node + 1 < count) {
            first[0] = children[(node + 1) * kChildren].row;
            put_key(writer, children[(node + 1) * kChildren].bytes, first);
        } else {
            std::ranges::copy(chunk, first.begin());
            first[0] = end;
            put_key(writer, 0, first);
        }
        space.write(begin + node * node_bytes, writer.bytes());
        nodes.push_back({begin + node * node_bytes, own.front().bytes, own.front().row});
    }
    return nodes;
}

}  // namespace

ChunkedValues write_chunks(FileSpace& space, std::span<const std::byte> values, std::span<const std::uint64_t> shape,
                           std::uint64_t element_bytes) {
    const std::vector<std::uint64_t> chunk = chunk_shape(shape);
    const std::uint64_t row_bytes = product(shape.subspan(1)) * element_bytes;
    std::vector<std::byte> shuffled(chunk[0] * row_bytes);
    std::vector<std::byte> compressed;
    std::vector<Child> children;
    for (std::uint64_t row = 0; row < shape[0]; row += chunk[0]) {
        const std::uint64_t rows = std::min(chunk[0], shape[0] - row);
        shuffle(values.subspan(row * row_bytes, rows * row_bytes), element_bytes, shuffled);
        const auto bytes = compress(shuffled, compressed);
        children.push_back({space.append(bytes), static_cast<std::uint32_t>(bytes.size()), row});
    }
    const std::uint64_t end = children.back().row + chunk[0];
    unsigned level = 0;
    do {
        children = write_level(space, children, chunk, end, level++);
    } while (children.size() > 1);
    return {chunk, children.front().address};
}

void put_chunked_layout(ByteWriter& writer, const ChunkedValues& values, std::uint64_t element_bytes) {
    writer.put_byte(3);  // version
    writer.put_byte(2);  // chunked
    writer.put_byte(static_cast<unsigned>(values.chunk.size()) + 1);
    writer.put(values.index);
    for (const std::uint64_t extent : values.chunk) {
        writer.put(static_cast<std::uint32_t>(extent));
    }
    writer.put(static_cast<std::uint32_t>(element_bytes));
}

void put_filters(ByteWriter& writer, std::uint64_t element_bytes) {
    const auto put = [&](std::uint16_t filter, std::uint64_t parameter) {
        constexpr std::uint16_t kOptional = 1;
        writer.put(filter);
        writer.put(kOptional);
        writer.put<std::uint16_t>(1);  // one parameter
        writer.put(static_cast<std::uint32_t>(parameter));
    };
    constexpr std::uint16_t kShuffle = 2;
    constexpr std::uint16_t kDeflate = 1;
    writer.put_byte(2);  // version
    writer.put_byte(2);  // filters
    put(kShuffle, element_bytes);
    put(kDeflate, kCompressionLevel);
}

}  // namespace lookahead::hdf5
