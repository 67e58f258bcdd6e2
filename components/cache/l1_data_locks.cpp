// Locks of lines, from their requests on.
#include <bit>

#include "components/cache/l1_data.h"

namespace lookahead::gpu {

bool L1Data::may_lock_line(std::uint64_t line, Client client) const {
    const std::uint32_t way = tags_.find(line);
    const std::uint64_t mine = way == kNoWay ? ways_of(client) : ways_beside(way);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - tags_.ways());
    return pin_limit_ > 0 && std::popcount(mine & all) > 1;
}

bool L1Data::refuses_lock(std::uint64_t line, Client client) const {
    const std::uint32_t way = tags_.find(line);
    return way == kNoWay ? !has_way_to_lock(tags_.set_of(line), ways_of(client)) : !may_lock(way);
}

L1LoadResult L1Data::load_and_lock(const L1Access& access, const Waiter& waiter, LineLock& lock) {
    LOOKAHEAD_ASSERT(!lock, "a load is to lock a line with a handle that holds another");
    if (refuses_lock(access.line, access.client)) { return stall(ReservationFailure::no_line); }
    const L1LoadResult result = load(access, waiter);
    if (result.answer != L1Answer::stall) { lock = take_lock(tags_.find(access.line)); }
    return result;
}

LineLock L1Data::lock(std::uint64_t line) {
    const std::uint32_t way = tags_.find(line);
    return way != kNoWay && may_lock(way) ? take_lock(way) : LineLock{};
}

void L1Data::unlock(LineLock& lock) {
    if (const std::uint32_t way = locks_.give_back(lock); way != kNoWay) { --tags_.info(way).pins; }
}

bool L1Data::may_lock(std::uint32_t way) const {
    if (tags_.info(way).pins != 0) { return !locks_.full(); }
    return has_way_to_lock(way / tags_.ways(), ways_beside(way));
}

/// Ways of a set that lines of the same kind as the way's are in.
std::uint64_t L1Data::ways_beside(std::uint32_t way) const {
    const std::uint64_t bit = std::uint64_t{1} << (way % tags_.ways());
    return (prefetch_ways_ & bit) != 0 ? prefetch_ways_ : other_ways_;
}

/// Whether one more of the set's ways `mine` may be locked. One of them never is, or a miss might wait for ever.
bool L1Data::has_way_to_lock(unsigned set, std::uint64_t mine) const {
    unsigned ways = 0;
    unsigned locked = 0;
    for (unsigned way = 0; way < tags_.ways(); ++way) {
        if ((mine >> way & 1) != 0) {
            ++ways;
            locked += tags_.info(set * tags_.ways() + way).pins != 0;
        }
    }
    return !locks_.full() && locked < pin_limit_ && locked + 1 < ways;
}

LineLock L1Data::take_lock(std::uint32_t way) {
    ++tags_.info(way).pins;
    return locks_.take(way);
}

}  // namespace lookahead::gpu
