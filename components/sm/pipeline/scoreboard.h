#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Registers and predicates that await a write-back, one bit each, for every stream context. Those that memory writes
/// are marked long-latency besides, so that stalls can be told apart. The bits' meaning belongs to DecodedKernel.
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
            if (long_latency) {
                long_latency_[at + word] |= writes[word];
            }
        }
    }
    void release(unsigned context, const std::uint64_t* writes) {
        const std::size_t at = std::size_t{context} * words_;
        for (unsigned word = 0; word < words_; ++word) {
            pending_[at + word] &= ~writes[word];
            long_latency_[at + word] &= ~writes[word];
        }
    }
    /// One register.
    void release_register(unsigned context, unsigned number) {
        const std::size_t at = std::size_t{context} * words_ + number / 64;
        pending_[at] &= ~(std::uint64_t{1} << (number % 64));
        long_latency_[at] &= ~(std::uint64_t{1} << (number % 64));
    }

    void fields(StateArchive& archive) { archive& pending_& long_latency_; }

    std::span<const std::uint64_t> pending() const { return pending_; }
    std::span<const std::uint64_t> long_latency() const { return long_latency_; }

  private:
    bool overlap(const std::vector<std::uint64_t>& bits, unsigned context, const std::uint64_t* needs) const {
        const std::uint64_t* own = bits.data() + std::size_t{context} * words_;
        std::uint64_t common = own[0] & needs[0];
        for (unsigned word = 1; word < words_; ++word) {
            common |= own[word] & needs[word];
        }
        return common != 0;
    }

    unsigned contexts_;
    unsigned words_ = 1;
    std::vector<std::uint64_t> pending_;
    std::vector<std::uint64_t> long_latency_;
};

}  // namespace lookahead::gpu
