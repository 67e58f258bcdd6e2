#pragma once

#include <sched.h>

#include <chrono>
#include <thread>

namespace lookahead {

/// What a rank does between two looks for something from another rank: at first nothing, then it yields the core.
/// Yielding helps only as long as those who get the core are ranks, which soon wait too. A stranger keeps it for a
/// whole time slice, so that every exchange would last some; who sleeps for a moment instead is preferred when it
/// wakes. So once a yield has taken as long as a time slice, the next waits of this rank sleep for a while.
class Waiting {
  public:
    /// `looks`: as many looks before the first yield.
    explicit Waiting(int looks) : looks_(looks) {}

    void begin() { look_ = 0; }

    void after_a_look() {
        if (++look_ <= looks_) {
            return;
        }
        if (naps_left_ > 0) {
            --naps_left_;
            std::this_thread::sleep_for(kNap);
            return;
        }
        const auto before = std::chrono::steady_clock::now();
        sched_yield();
        if (std::chrono::steady_clock::now() - before > kTimeSlice) {
            naps_left_ = kNaps;
        }
    }

  private:
    static constexpr std::chrono::microseconds kNap{20};
    static constexpr std::chrono::microseconds kTimeSlice{1500};  // Linux gives 3 ms, and less to many
    static constexpr int kNaps = 2000;                            // some 0.2 s, timers being late by 50 us

    int looks_;
    int look_ = 0;
    int naps_left_ = 0;
};

}  // namespace lookahead
