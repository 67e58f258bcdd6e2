#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace lookahead {

/// Room for so many words, of which most may never be used: the system gives pages, zeroed, when they are first touched.
/// Blocks of the heap cost time for all that they span, where the heap lies in large pages.
class LazyWords {
  public:
    /// std::bad_alloc if there is no room.
    explicit LazyWords(std::size_t words);
    LazyWords(LazyWords&& other) noexcept
        : region_(std::move(other.region_)), words_(std::exchange(other.words_, nullptr)) {}
    LazyWords& operator=(LazyWords&&) = delete;
    ~LazyWords();

    std::uint64_t* get() const { return words_; }

    /// Pages from the system, which many blocks share: asking for them, and giving them back, takes as long for few as
    /// for many.
    class Region;

  private:
    std::shared_ptr<Region> region_;  ///< lives until the last of its blocks dies
    std::uint64_t* words_ = nullptr;
};

}  // namespace lookahead
