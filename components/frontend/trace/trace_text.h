#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error/error.h"

namespace lookahead::trace {

/// The lines of a text file, which may be compressed with xz (a name that ends in .xz). Reads as it goes: a trace may
/// be larger than memory.
class LineReader {
  public:
    /// InputError if the file cannot be read.
    explicit LineReader(const std::string& path);
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

/// The text as a message can show it: at most 200 characters, and question marks for what is not printable ASCII.
std::string shown(std::string_view text);

/// Calls `take`; an InputError of it gets the file and the line.
void at_line(const std::string& path, std::uint64_t line, auto take) {
    try {
        take();
    } catch (const InputError& error) { throw InputError("{}:{}: {}", path, line, shown(error.what())); }
}

/// The words of a line, which blanks separate.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) {}
    /// The next word; empty after the last.
    std::string_view next();

  private:
    std::string_view rest_;
};

/// The number in decimal or, with 0x before it or if `base` says so, in hexadecimal. InputError without a place.
template <class T>
T number(std::string_view word, const char* what, int base = 10) {
    std::string_view digits = word;
    const bool negative = digits.starts_with('-');
    if (negative) { digits.remove_prefix(1); }
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        digits.remove_prefix(2);
        base = 16;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    const std::uint64_t most = std::numeric_limits<T>::max();
    if (error != std::errc{} || end != digits.data() + digits.size() || value > most) {
        throw InputError("'{}' is no {}", word, what);
    }
    return static_cast<T>(negative ? 0 - value : value);
}

}  // namespace lookahead::trace
