#pragma once

#include <immintrin.h>
#include <sched.h>

namespace lookahead {

/// The waiting of a thread of a team between two checks for work: first the thread does nothing, then it yields its
/// core, and in the end it sleeps. It sleeps only in long waits: by the time it is woken and has a core again, the
/// others have done much of a window.
class Patience {
  public:
    static constexpr int kLooks = 2000;   ///< some 50 us, longer than it usually takes from one window to the next
    static constexpr int kYields = 1000;  ///< some 0.5 ms on an idle core

    void begin() { looks_ = 0; }

    /// Call it after a check that found no work. Returns false if the thread should sleep.
    bool after_a_look() {
        if (looks_ == kLooks + kYields) {
            looks_ = 0;
            return false;
        }
        if (++looks_ <= kLooks) {
            _mm_pause();
        } else {
            sched_yield();
        }
        return true;
    }

  private:
    int looks_ = 0;
};

}  // namespace lookahead
