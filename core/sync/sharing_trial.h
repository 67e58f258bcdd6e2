#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/sync/backoff.h"

namespace lookahead {

/// Chooses the windows that are worth sharing among threads, from the gains of shared windows on this host: the time of
/// a window divided by the time that its threads computed in it. With two threads it is half at best, and above 1 if
/// waking and waiting for threads costs more than they take over. The quotient needs only one window, so different
/// windows need not be compared. If windows of a size gain nothing, they are shared only now and then, less and less
/// often; as soon as one gains, all of them are shared again, because a driver that computes beside the simulation
/// takes a core only for a while.
class SharingTrial {
  public:
    /// Whether to share the next window. `size` measures its work in any unit; only its magnitude counts.
    bool choose(std::uint64_t size) {
        Class& of = classes_[static_cast<std::size_t>(std::bit_width(size))];
        current_ = &of;
        return of.quotient < 1 || of.backoff.is_due();
    }

    /// Reports the time of a shared window and the sum of its threads' computing times, in the same unit. Time in which
    /// another program had a thread's core is not computing time.
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
        double quotient = 0;  ///< mean over the last few shared windows
        Backoff backoff;
    };

    std::array<Class, 65> classes_{};  ///< by magnitude of the size
    Class* current_ = nullptr;
};

}  // namespace lookahead
