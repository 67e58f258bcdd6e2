#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace lookahead {

/// The bytes of a capture's calls, as words in the order of the calls. They are kept in blocks, equal blocks once,
/// because programs copy the same gigabytes repeatedly.
class Contents {
  public:
    static constexpr std::uint64_t kWordBytes = 4;
    static constexpr std::uint64_t kBlockWords = 4096;
    static constexpr std::uint64_t kBlockBytes = kBlockWords * kWordBytes;

    Contents() = default;
    /// `kept`: the words of the kept blocks; `blocks`: for each block of the contents, the number of the kept block.
    /// The last kept block may be short.
    Contents(std::vector<std::uint32_t> kept, std::vector<std::uint64_t> blocks);

    /// Appends bytes and returns their first word. Zeros fill the last word; bytes that fill a block begin with a new
    /// block.
    std::uint64_t add(std::span<const std::byte> bytes);
    /// Whether there are `bytes` bytes from the word on.
    bool has(std::uint64_t first_word, std::uint64_t bytes) const;
    std::vector<std::byte> at(std::uint64_t first_word, std::uint64_t bytes) const;

    /// The kept blocks as the constructor takes them, without the free end of the last block.
    std::span<const std::uint32_t> kept() const;
    std::span<const std::uint64_t> blocks() const { return blocks_; }

  private:
    std::span<std::byte> kept_block(std::uint64_t number);
    std::span<const std::byte> kept_block(std::uint64_t number) const;
    void open_block();
    /// Removes the last block, which is full, if there is an equal one.
    void share_last_block();

    std::vector<std::uint32_t> kept_;  ///< whole blocks
    std::vector<std::uint64_t> blocks_;
    std::uint64_t free_words_ = 0;  ///< at the end of the last block, which is the last one kept
    std::unordered_multimap<std::uint64_t, std::uint64_t> by_hash_;  ///< full kept blocks
};

}  // namespace lookahead
