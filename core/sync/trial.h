#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/sync/backoff.h"

namespace lookahead {

/// Chooses between two ways of doing the same work by what they took on this host: of each, for windows of about the same
/// size, the least of the last few is kept, and the quicker one is chosen. Not the mean: a window in which another program had
/// the core, or memory was touched for the first time, would rule a way out for all that a run has of windows. The other way
/// is tried again now and then, more and more seldom while it stays the slower one.
class Trial {
  public:
    /// Whether to go the second way next. `size`: of the work, in any unit; only its magnitude counts.
    bool choose(std::uint64_t size) {
        Class& of = classes_[static_cast<std::size_t>(std::bit_width(size))];
        current_ = &of;
        second_ = of.quicker();
        const Way& chosen = of.ways[second_];
        const Way& other = of.ways[!second_];
        if (other.tries < kFirstTries ? other.tries < chosen.tries : of.backoff.is_due()) {
            second_ = !second_;
        }
        return second_;
    }

    /// What the work that was chosen for took, for each unit of it.
    void took(double time) {
        const bool quicker = current_->quicker();
        Way& way = current_->ways[second_];
        way.times[way.tries % kMemory] = time;
        ++way.tries;
        if (current_->quicker() != quicker) {
            current_->backoff = {};
        }
    }

  private:
    static constexpr std::uint64_t kMemory = 4;
    static constexpr std::uint64_t kFirstTries = 2;

    struct Way {
        std::array<double, kMemory> times{};
        std::uint64_t tries = 0;

        /// Of the last few.
        double least() const { return *std::min_element(times.begin(), times.begin() + std::min(tries, kMemory)); }
    };
    struct Class {
        std::array<Way, 2> ways{};
        Backoff backoff;  ///< of the slower way

        /// The second way, which has been tried and took less.
        bool quicker() const { return ways[1].tries > 0 && ways[1].least() < ways[0].least(); }
    };

    std::array<Class, 65> classes_{};  ///< by magnitude of the size
    Class* current_ = nullptr;
    bool second_ = false;
};

}  // namespace lookahead
