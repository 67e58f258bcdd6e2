#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/sync/backoff.h"

namespace lookahead {

/// Chooses between two ways of doing the same work by their times on this host. For windows of about the same size it
/// keeps the least of the last few times of each way, and chooses the quicker way. It does not use the mean: one window
/// in which another program had the core, or memory was touched for the first time, would exclude a way for the whole
/// run. The other way is tried again now and then, less and less often while it stays slower.
class Trial {
  public:
    /// Whether to go the second way next. `size` measures the work in any unit; only its magnitude counts.
    bool choose(std::uint64_t size) {
        Class& of = classes_[static_cast<std::size_t>(std::bit_width(size))];
        current_ = &of;
        second_ = of.quicker();
        const Way& chosen = of.ways[second_];
        const Way& other = of.ways[!second_];
        if (other.tries < kFirstTries ? other.tries < chosen.tries : of.backoff.is_due()) { second_ = !second_; }
        return second_;
    }

    /// Reports the time that the work took in the chosen way, per unit of work.
    void took(double time) {
        const bool quicker = current_->quicker();
        Way& way = current_->ways[second_];
        way.times[way.tries % kMemory] = time;
        ++way.tries;
        if (current_->quicker() != quicker) { current_->backoff = {}; }
    }

  private:
    static constexpr std::uint64_t kMemory = 4;
    static constexpr std::uint64_t kFirstTries = 2;

    struct Way {
        std::array<double, kMemory> times{};
        std::uint64_t tries = 0;

        double least() const { return *std::min_element(times.begin(), times.begin() + std::min(tries, kMemory)); }
    };
    struct Class {
        std::array<Way, 2> ways{};
        Backoff backoff;  ///< of the slower way

        bool quicker() const { return ways[1].tries > 0 && ways[1].least() < ways[0].least(); }
    };

    std::array<Class, 65> classes_{};  ///< by magnitude of the size
    Class* current_ = nullptr;
    bool second_ = false;
};

}  // namespace lookahead
