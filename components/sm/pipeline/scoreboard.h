#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Registers and predicates that await a write-back, one bit each, for every stream context. Bits that a memory access
/// will clear are also marked long-latency, to tell stalls apart. DecodedKernel defines the bits.
class Scoreboard {
  public:
    explicit Scoreboard(unsigned contexts) : contexts_(contexts) { resize(1); }

    /// Sets the number of 64-bit words of a context's bit set, all clear.
    void resize(unsigned words) {
        words_ = words;
        pending_.assign(std::size_t{contexts_} * words, 0);
        long_latency_.assign(std::size_t{contexts_} * words, 0);
    }
    unsigned words() const { return words_; }

    bool blocks(unsigned context, const std::uint64_t* needs) const { return overlap(pending_, context, needs); }
    bool blocks_for_memory(unsigned context, const std::uint64_t* needs) const {
        return overlap(long_latency_, context, needs);
    }

    void reserve(unsigned context, const std::uint64_t* writes, bool long_latency) {
        const std::size_t at = std::size_t{context} * words_;
        for (unsigned word = 0; word < words_; ++word) {
            pending_[at + word] |= writes[word];
            if (long_latency) { long_latency_[at + word] |= writes[word]; }
        }
    }
    void release(unsigned context, const std::uint64_t* writes) {
        const std::size_t at = std::size_t{context} * words_;
        for (unsigned word = 0; word < words_; ++word) {
            pending_[at + word] &= ~writes[word];
            long_latency_[at + word] &= ~writes[word];
        }
    }
    /// Clears the context's bits that are clear in `other`, of the same launch, except `kept`.
    void release_as(unsigned context, const Scoreboard& other, const std::uint64_t* kept) {
        const std::size_t at = std::size_t{context} * words_;
        for (unsigned word = 0; word < words_; ++word) {
            pending_[at + word] &= other.pending_[at + word] | kept[word];
            long_latency_[at + word] &= other.long_latency_[at + word] | kept[word];
        }
    }
    void reserve_bit(unsigned context, unsigned bit, bool long_latency) {
        const std::size_t at = std::size_t{context} * words_ + bit / 64;
        pending_[at] |= std::uint64_t{1} << bit % 64;
        if (long_latency) { long_latency_[at] |= std::uint64_t{1} << bit % 64; }
    }
    void release_bit(unsigned context, unsigned bit) {
        const std::size_t at = std::size_t{context} * words_ + bit / 64;
        pending_[at] &= ~(std::uint64_t{1} << bit % 64);
        long_latency_[at] &= ~(std::uint64_t{1} << bit % 64);
    }
    bool is_pending(unsigned context, unsigned bit) const { return holds(pending_, context, bit); }
    bool is_long_latency(unsigned context, unsigned bit) const { return holds(long_latency_, context, bit); }
    /// Copies the context's bits from `other`, of the same launch.
    void copy(unsigned context, const Scoreboard& other) {
        const std::size_t at = std::size_t{context} * words_;
        std::copy_n(other.pending_.begin() + static_cast<std::ptrdiff_t>(at), words_,
                    pending_.begin() + static_cast<std::ptrdiff_t>(at));
        std::copy_n(other.long_latency_.begin() + static_cast<std::ptrdiff_t>(at), words_,
                    long_latency_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void fields(StateArchive& archive) { archive& pending_& long_latency_; }

    std::span<const std::uint64_t> pending() const { return pending_; }
    std::span<const std::uint64_t> long_latency() const { return long_latency_; }

  private:
    bool holds(const std::vector<std::uint64_t>& bits, unsigned context, unsigned bit) const {
        return (bits[std::size_t{context} * words_ + bit / 64] >> bit % 64 & 1) != 0;
    }
    bool overlap(const std::vector<std::uint64_t>& bits, unsigned context, const std::uint64_t* needs) const {
        const std::uint64_t* own = bits.data() + std::size_t{context} * words_;
        std::uint64_t common = own[0] & needs[0];
        for (unsigned word = 1; word < words_; ++word) { common |= own[word] & needs[word]; }
        return common != 0;
    }

    unsigned contexts_;
    unsigned words_ = 1;
    std::vector<std::uint64_t> pending_;
    std::vector<std::uint64_t> long_latency_;
};

}  // namespace lookahead::gpu
