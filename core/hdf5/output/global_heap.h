#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/hdf5/output/byte_writer.h"
#include "core/hdf5/output/file_space.h"

namespace lookahead::hdf5 {

/// Where a dataset or an attribute has an element of variable length (format specification, "Variable-length").
#pragma pack(push, 1)
struct HeapReference {
    std::uint32_t length = 0;  ///< in elements of the base type
    std::uint64_t collection = 0;
    std::uint32_t index = 0;
};
#pragma pack(pop)
static_assert(sizeof(HeapReference) == 16);

/// Elements of variable length, in collections (format specification III.E, "Global Heap").
class GlobalHeap {
  public:
    explicit GlobalHeap(FileSpace& space) : space_(space) {}

    HeapReference add(std::span<const std::byte> bytes, std::uint32_t length);
    /// Writes the collection that is not full.
    void finish();

  private:
    void open(std::size_t bytes);
    HeapReference put(std::span<const std::byte> bytes, std::uint32_t length);

    FileSpace& space_;
    ByteWriter collection_;      ///< empty if none is open
    std::size_t capacity_ = 0;   ///< of the open one
    std::uint64_t address_ = 0;  ///< of the open one
    std::uint16_t objects_ = 0;  ///< in the open one
};

}  // namespace lookahead::hdf5
