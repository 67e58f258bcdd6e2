#pragma once

#include <immintrin.h>
#include <sched.h>

namespace lookahead {

/// What a thread of a team does between two looks for work: at first nothing, then it yields its core to who wants it, and in the
/// end it sleeps, which is for long waits only: until it is woken and has a core again the others have done much of a window.
class Patience {
  public:
    static constexpr int kLooks = 2000;   ///< some 50 us, longer than it usually takes from one window to the next
    static constexpr int kYields = 1000;  ///< some 0.5 ms on an idle core

    void begin() { looks_ = 0; }

    /// False where the thread had better sleep.
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
