#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time/time.h"

namespace lookahead {

/// For each LP of a rank, the least time of the messages that wait for it in the inboxes of the rank's routers, and the
/// routers that hold such messages.
///
/// Every LP has two sides. Routers write to one of them. Before a window turn() exchanges the sides: the side with the
/// messages that the LP will read belongs to the thread that advances the LP, which leaves it empty. So in a window no
/// thread reads data that another writes, and no thread has to distribute the messages before it.
class Arrivals {
  public:
    /// kAnswered: messages that are answered only (Model::answer_only); kUsual: all others.
    enum Way : std::size_t { kUsual, kAnswered, kWays };

    Arrivals(std::size_t lps, std::size_t routers) : is_shared_(routers > 1), turned_(lps, 0) {
        for (Side& side : sides_) {
            side.least.fill(std::vector<Time>(lps, kTimeInfinity));
            side.writers.assign(lps, 0);
        }
    }

    /// The side to which routers write.
    unsigned side(std::size_t lp) const { return turned_[lp]; }
    /// Exchanges the sides of an LP. Call it between windows only; the side to which routers then write must have been
    /// cleared.
    void turn(std::size_t lp) { turned_[lp] ^= 1; }

    /// Call it when router `writer` has put a message for `time` into its inbox of the LP that is the first one there
    /// or earlier than all others there. Several threads may call it for one LP.
    void lower(std::size_t lp, unsigned side, Way way, Time time, unsigned writer) {
        Time& least = sides_[side].least[way][lp];
        std::uint64_t& writers = sides_[side].writers[lp];
        const std::uint64_t bit = std::uint64_t{1} << writer % 64;
        if (!is_shared_) {
            least = std::min(least, time);
            writers |= bit;
            return;
        }
        std::atomic_ref shared_least(least);
        for (Time known = shared_least.load(std::memory_order_relaxed);
             time < known && !shared_least.compare_exchange_weak(known, time, std::memory_order_relaxed);) {}
        std::atomic_ref shared_writers(writers);
        if ((shared_writers.load(std::memory_order_relaxed) & bit) == 0) {
            shared_writers.fetch_or(bit, std::memory_order_relaxed);
        }
    }

    // Call the following functions outside of windows or, for the side that the LP reads, on the thread that advances
    // the LP:

    /// Bit w stands for routers w, w + 64, w + 128 ...
    std::uint64_t writers(std::size_t lp, unsigned side) const { return sides_[side].writers[lp]; }
    void clear(std::size_t lp, unsigned side) {
        sides_[side].least[kUsual][lp] = kTimeInfinity;
        sides_[side].least[kAnswered][lp] = kTimeInfinity;
        sides_[side].writers[lp] = 0;
    }
    /// The least time on both sides. Outside of windows one of the sides is empty.
    Time least(Way way, std::size_t lp) const { return std::min(sides_[0].least[way][lp], sides_[1].least[way][lp]); }

  private:
    struct Side {
        std::array<std::vector<Time>, kWays> least;  ///< by LP
        std::vector<std::uint64_t> writers;          ///< by LP
    };

    bool is_shared_;
    std::vector<std::uint8_t> turned_;
    std::array<Side, 2> sides_;
};

}  // namespace lookahead
