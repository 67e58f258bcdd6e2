#include "components/cache/line_locks.h"

#include <bit>

namespace lookahead::gpu {

bool LineLocks::may_ever(std::uint64_t line, Client client) const {
    const std::uint32_t way = tags_.find(line);
    const std::uint64_t mine = way == kNoWay ? shares_.of(client) : shares_.beside(way % tags_.ways());
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - tags_.ways());
    return most_pinned_ > 0 && std::popcount(mine & all) > 1;
}

bool LineLocks::refuses(std::uint64_t line, Client client) const {
    const std::uint32_t way = tags_.find(line);
    return way == kNoWay ? !has_way_to_lock(tags_.set_of(line), shares_.of(client)) : !allows(way);
}

LineLock LineLocks::lock(std::uint64_t line) {
    const std::uint32_t way = tags_.find(line);
    return way != kNoWay && allows(way) ? take(way) : LineLock{};
}

bool LineLocks::allows(std::uint32_t way) const {
    if (tags_.info(way).pins != 0) { return taken_ != entries_.size(); }
    return has_way_to_lock(way / tags_.ways(), shares_.beside(way % tags_.ways()));
}

/// Whether one more of the set's ways `mine` may be locked. One always stays unlocked, or a miss might wait for ever.
bool LineLocks::has_way_to_lock(unsigned set, std::uint64_t mine) const {
    unsigned ways = 0;
    unsigned locked = 0;
    for (unsigned way = 0; way < tags_.ways(); ++way) {
        if ((mine >> way & 1) != 0) {
            ++ways;
            locked += tags_.info(set * tags_.ways() + way).pins != 0;
        }
    }
    return taken_ != entries_.size() && locked < most_pinned_ && locked + 1 < ways;
}

LineLock LineLocks::take(std::uint32_t way) {
    std::uint32_t number = 0;
    while (entries_[number].taken) { ++number; }
    Entry& entry = entries_[number];
    entry.taken = true;
    entry.way = way;
    ++taken_;
    ++tags_.info(way).pins;
    return {number, ++entry.serial};
}

void LineLocks::unlock(LineLock& lock) {
    Entry& entry = entries_[checked(lock)];
    lock.entry_ = LineLock::kNone;
    entry.taken = false;
    --taken_;
    if (const std::uint32_t way = std::exchange(entry.way, kNoWay); way != kNoWay) { --tags_.info(way).pins; }
}

void LineLocks::lose(std::uint32_t way) {
    for (Entry& entry : entries_) {
        if (entry.way == way) { entry.way = kNoWay; }
    }
}

std::uint32_t LineLocks::checked(const LineLock& lock) const {
    LOOKAHEAD_ASSERT(
        lock.entry_ < entries_.size() && entries_[lock.entry_].taken && entries_[lock.entry_].serial == lock.serial_,
        "a lock of a line of L1 that is not held: it is empty, or was released before");
    return lock.entry_;
}

void LineLocks::fields(StateArchive& archive) {
    for (Entry& entry : entries_) { archive& entry.way& entry.serial& entry.taken; }
    if (archive.loading()) {
        taken_ = 0;
        for (const Entry& entry : entries_) { taken_ += entry.taken; }
    }
}

}  // namespace lookahead::gpu
