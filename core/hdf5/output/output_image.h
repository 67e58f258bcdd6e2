#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "core/hdf5/output/file_space.h"
#include "core/hdf5/output/global_heap.h"
#include "core/hdf5/output/output_record.h"

namespace lookahead::hdf5 {

/// An HDF5 file that is being written: values and texts go to the file as they come, headers when all are complete.
/// Superblock and headers are of version 2, which HDF5 reads since 1.8; groups keep their links, and objects their
/// attributes, in the header (HDF5 File Format Specification Version 3.0, The HDF Group).
class OutputImage {
  public:
    explicit OutputImage(const std::string& path);

    OutputRecord& root() { return records_.front(); }
    /// An InputError if a link cannot have that name, or another one of `parent` has it.
    OutputRecord& add(OutputRecord& parent, std::string_view name, bool is_group);
    void add_attribute(OutputRecord& record, std::string_view name, std::span<const std::byte> type,
                       std::span<const std::uint64_t> shape, std::span<const std::byte> value);
    /// Puts a text into the heap.
    HeapReference add_text(std::string_view text);

    FileSpace& space() { return space_; }
    const std::string& path() const { return path_; }

    /// Writes what is missing, and closes the file.
    void finish();

  private:
    void place_headers();
    void write_headers();
    void write_superblock();
    void put_references(OutputRecord& record);
    void put_scales(OutputRecord& record);
    void put_scale_users(OutputRecord& record);

    std::string path_;
    FileSpace space_;
    GlobalHeap heap_;
    std::deque<OutputRecord> records_;  ///< the root first
    bool placed_ = false;               ///< headers have their addresses
};

}  // namespace lookahead::hdf5
