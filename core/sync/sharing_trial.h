#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/sync/backoff.h"

namespace lookahead {

/// Chooses the windows that are worth sharing among threads by what sharing gained on this host: a shared window took so much
/// of the time that its threads computed in it, half of it by two at best, and more than all of it where waking them and waiting
/// for them costs more than they take over. Such a quotient says it of one window: windows that differ need not be compared.
/// Windows of a size that gains nothing are shared now and then, more and more seldom, and all of them again as soon as one
/// gains: a driver that computes beside the simulation takes a core for a while only.
class SharingTrial {
  public:
    /// Whether to share the next window. `size`: of its work, in any unit; only its magnitude counts.
    bool choose(std::uint64_t size) {
        Class& of = classes_[static_cast<std::size_t>(std::bit_width(size))];
        current_ = &of;
        return of.quotient < 1 || of.backoff.is_due();
    }

    /// What the window took that was chosen to be shared, and the sum of what its threads computed, in the same unit. Time in
    /// which another program had a thread's core is none in which it computed.
    void took(double time, double computed) {
        const double quotient = std::min(time / std::max(computed, 1.0), kWorst);
        if (current_->quotient >= 1 && quotient < 1) {
            current_->quotient = quotient;
            current_->backoff = {};
        } else {
            current_->quotient += (quotient - current_->quotient) / kMemory;
        }
    }

  private:
    static constexpr double kMemory = 4;
    static constexpr double kWorst = 1.5;  ///< one window that another program held up does not end sharing

    struct Class {
        double quotient = 0;  ///< mean over the last few
        Backoff backoff;
    };

    std::array<Class, 65> classes_{};  ///< by magnitude of the size
    Class* current_ = nullptr;
};

}  // namespace lookahead
