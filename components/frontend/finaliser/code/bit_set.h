#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookahead::finaliser {

/// Calls `visit(i)` for every bit that is set, in ascending order.
template <typename Visit>
void for_each_bit(std::span<const std::uint64_t> words, Visit visit) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::uint64_t word = words[i]; word != 0; word &= word - 1) {
            visit(static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
        }
    }
}

/// A set of small numbers of a size fixed at construction.
class BitSet {
  public:
    BitSet() = default;
    explicit BitSet(std::size_t size) : words_((size + 63) / 64) {}

    bool contains(std::uint32_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
    void insert(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void erase(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

    /// Adds the members of `other`, a set of the same size; returns whether any of them is new.
    bool unite(const BitSet& other) {
        std::uint64_t changed = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            changed |= other.words_[i] & ~words_[i];
            words_[i] |= other.words_[i];
        }
        return changed != 0;
    }

    /// The number of members in [first, end).
    std::uint32_t count(std::uint32_t first, std::uint32_t end) const {
        if (first >= end) { return 0; }
        const std::size_t last = (end - 1) / 64;
        std::uint64_t word = words_[first / 64] & (~std::uint64_t{0} << (first % 64));
        std::uint32_t result = 0;
        for (std::size_t i = first / 64; i < last; word = words_[++i]) {
            result += static_cast<std::uint32_t>(std::popcount(word));
        }
        return result + static_cast<std::uint32_t>(std::popcount(word & (~std::uint64_t{0} >> (63 - (end - 1) % 64))));
    }

    template <typename Visit>
    void for_each(Visit visit) const {
        for_each_bit(words_, visit);
    }

    friend bool operator==(const BitSet&, const BitSet&) = default;

  private:
    std::vector<std::uint64_t> words_;
};

}  // namespace lookahead::finaliser
