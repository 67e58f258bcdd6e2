#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lookahead::hdf5 {

/// A file that grows: its room is given out once, and written in any order. What is small reaches the system in one
/// write. Errors of the system are InputErrors with the path.
class FileSpace {
  public:
    /// Creates the file, or empties it.
    explicit FileSpace(std::string path);
    FileSpace(const FileSpace&) = delete;
    FileSpace& operator=(const FileSpace&) = delete;
    ~FileSpace();

    /// The address of so many bytes that nobody else has; they are zero until they are written. A multiple of 8.
    std::uint64_t reserve(std::uint64_t bytes);
    void write(std::uint64_t address, std::span<const std::byte> bytes);
    /// reserve() and write().
    std::uint64_t append(std::span<const std::byte> bytes);

    std::uint64_t size() const { return base_ + window_.size(); }
    /// Everything has been given to the system, and the file is closed.
    void close();

  private:
    void write_through(std::uint64_t address, std::span<const std::byte> bytes);
    void flush();

    std::string path_;
    int descriptor_;
    std::uint64_t base_ = 0;         ///< bytes before it are with the system
    std::vector<std::byte> window_;  ///< the bytes from base_ on
};

}  // namespace lookahead::hdf5
