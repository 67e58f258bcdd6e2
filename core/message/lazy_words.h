#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lookahead {

/// Room for so many words, of which most may never be used: the system gives pages, zeroed, when they are first touched.
/// Blocks of the heap cost time for all that they span, where the heap lies in large pages.
class LazyWords {
  public:
    /// std::bad_alloc if there is no room.
    explicit LazyWords(std::size_t words);
    LazyWords(LazyWords&& other) noexcept
        : words_(std::exchange(other.words_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    LazyWords& operator=(LazyWords&&) = delete;
    ~LazyWords();

    std::uint64_t* get() const { return words_; }

  private:
    std::uint64_t* words_;
    std::size_t bytes_;
};

}  // namespace lookahead
