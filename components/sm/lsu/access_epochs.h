#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Counts the SM's memory accesses under way by the stretch between two fences (epoch) in which they were performed, so
/// that a fence can wait for all earlier accesses while others go on. An access carries its epoch's tag.
class AccessEpochs {
  public:
    /// At most `fences` fences may wait at once.
    explicit AccessEpochs(unsigned fences) : under_way_(std::bit_ceil(fences + 1)) {}

    /// The tag of accesses performed now; below 2^16.
    std::uint16_t current_tag() const { return tag_of(current_); }
    void begin(std::uint16_t tag) {
        ++under_way_[tag];
        ++total_;
    }
    void end(std::uint16_t tag) {
        --under_way_[tag];
        --total_;
        advance();
    }
    std::uint64_t total() const { return total_; }

    /// Ends the epoch; returns its number, for `over`.
    std::uint64_t close() {
        const std::uint64_t closed = current_++;
        advance();
        return closed;
    }
    /// Whether all accesses of that epoch and earlier ones are done.
    bool over(std::uint64_t epoch) const { return oldest_ > epoch; }

    void fields(StateArchive& archive) { archive& current_& oldest_& total_& under_way_; }

  private:
    std::uint16_t tag_of(std::uint64_t epoch) const {
        return static_cast<std::uint16_t>(epoch & (under_way_.size() - 1));
    }
    void advance() {
        while (oldest_ < current_ && under_way_[tag_of(oldest_)] == 0) { ++oldest_; }
    }

    std::uint64_t current_ = 0;
    std::uint64_t oldest_ = 0;  // the oldest epoch with accesses under way, or the current one
    std::uint64_t total_ = 0;
    std::vector<std::uint32_t> under_way_;  // by tag; for each closed epoch with accesses a fence waits
};

}  // namespace lookahead::gpu
