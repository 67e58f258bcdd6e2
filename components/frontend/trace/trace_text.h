#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead::trace {

/// The lines of a text file, which may be compressed with xz (a name that ends in .xz). Reads as it goes: a trace may
/// be larger than memory.
class LineReader {
  public:
    /// InputError if the file cannot be read.
    explicit LineReader(const std::string& path);
    LineReader(LineReader&&) noexcept;
    ~LineReader();

    /// Sets `line` to the next line, without its end; valid until the next call. Returns false after the last one.
    /// InputError for a damaged file.
    bool next(std::string_view& line);
    /// The number of the line that next() gave last, from 1 on.
    std::uint64_t number() const { return number_; }

  private:
    struct Source;

    bool fill();

    std::string path_;
    std::unique_ptr<Source> source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;  ///< the part of the buffer that has not been given
    std::uint64_t number_ = 0;
};

/// Text of a file for a message: without what is not printable ASCII, and not longer than a line.
std::string shown(std::string_view text);

/// The words of a line, which blanks separate.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) {}
    /// The next word; empty after the last.
    std::string_view next();

  private:
    std::string_view rest_;
};

}  // namespace lookahead::trace
