#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace lookahead {

/// The waiting of a rank between two checks for a message: first the rank does nothing, then it yields the core.
/// Yielding helps only if the core goes to another rank, which soon waits too. Another program keeps the core for a
/// whole time slice, so that every exchange would take several slices; a thread that sleeps for a moment instead is
/// preferred when it wakes. So once a yield has taken as long as a time slice, or the core was lost for as long between
/// two checks, this rank sleeps in its waits for a while, after few checks: the rank for which it waits may need the
/// core.
class Waiting {
  public:
    static constexpr int kLooksOfCrowd = 20;

    /// `looks`: the number of checks before the first yield, as long as no other program was met.
    explicit Waiting(int looks) : looks_(looks) {}

    int looks() const { return looks_; }

    void begin() { look_ = 0; }

    void after_a_look() {
        if (++look_ <= (naps_left_ > 0 ? std::min(looks_, kLooksOfCrowd) : looks_)) {
            if (look_ % kLooksBetweenTimes == 0) { look_for_strangers(look_ > kLooksBetweenTimes); }
            return;
        }
        if (naps_left_ > 0) {
            --naps_left_;
            std::this_thread::sleep_for(kNap);
            return;
        }
        const auto before = Clock::now();
        sched_yield();
        if (Clock::now() - before > kTimeSlice) { naps_left_ = kNaps; }
    }

    /// Whether another program was met a short while ago.
    bool naps() const { return naps_left_ > 0; }

  private:
    using Clock = std::chrono::steady_clock;

    /// Begins a series of naps if the core was lost since the last call. `has_time`: whether there was a call in this
    /// wait. The checks between two calls take only some 0.1 ms.
    void look_for_strangers(bool has_time) {
        const Clock::time_point now = Clock::now();
        if (has_time && now - last_time_ > kTimeSlice) { naps_left_ = kNaps; }
        last_time_ = now;
    }

    static constexpr int kLooksBetweenTimes = 1000;
    static constexpr std::chrono::microseconds kNap{20};
    static constexpr std::chrono::microseconds kTimeSlice{1500};  // Linux gives 3 ms, and less to many
    static constexpr int kNaps = 2000;                            // some 0.2 s, timers being late by 50 us

    int looks_;
    int look_ = 0;
    int naps_left_ = 0;
    Clock::time_point last_time_{};
};

}  // namespace lookahead
