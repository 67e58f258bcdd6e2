#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "core/hdf5/group.h"
#include "core/hdf5/handle.h"

namespace lookahead::hdf5 {

/// All bytes of a closed file.
class FileImage {
  public:
    FileImage() = default;
    /// `bytes` came from malloc.
    FileImage(std::byte* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

    std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
    std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

  private:
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::size_t size_ = 0;
};

/// A file that HDF5 puts together in memory.
class MemoryFile {
  public:
    /// `path`: what messages call it; nothing is there.
    explicit MemoryFile(std::string path);
    /// Goes on with what has been closed.
    MemoryFile(std::string path, const FileImage& image);
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();

    Group root() const;
    /// All groups and datasets of the file must have been closed.
    FileImage close();

  private:
    std::string path_;
    std::byte* closed_ = nullptr;  ///< HDF5's buffer, once it has closed the file
    Handle file_;
};

/// Writes a file that appears under its name only when it is complete. The system brings it to the disk in its own time:
/// a machine that loses power just then may lose it. Waiting for the disk would be a third of a short run.
void write_image(const std::string& path, const FileImage& image);

}  // namespace lookahead::hdf5
