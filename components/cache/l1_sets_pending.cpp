// Making room where fills under way have their own tags (l1d.pending_ways).

#include "components/cache/l1_sets.h"
#include "core/bits/set_bits.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

void L1Sets::settle(std::uint32_t way) {
    const unsigned set = way / lines_.ways();
    replacement_->reserve(set, way % lines_.ways());
    if (lines_.lines_held(set) <= shares_.lines_of_set()) { return; }
    std::uint64_t others = lines_.choice(set).replaceable & ~(std::uint64_t{1} << (way % lines_.ways()));
    if (LOOKAHEAD_RULE(fill_waits_for_no_write_back) && queue_.full()) {
        for (const unsigned other : SetBits(others)) {
            others &= ~(std::uint64_t{lines_.info(set * lines_.ways() + other).dirty} << other);
        }
    }
    if (others != 0) {
        make_room(set * lines_.ways() + replacement_->victim(set, others));
        return;
    }
    if (lines_.info(way).pins != 0) { locks_.lose(way); }
    drop(way);
}

L1StoreResult L1Sets::make_room_for_stored(unsigned set) {
    if (lines_.lines_held(set) < shares_.lines_of_set()) { return {L1Answer::hit}; }
    const std::uint64_t candidates = lines_.choice(set).replaceable;
    if (candidates == 0) { return L1StoreResult::stall(ReservationFailure::no_line); }
    const std::uint32_t way = set * lines_.ways() + replacement_->victim(set, candidates);
    if (LOOKAHEAD_RULE(stored_line_waits_for_write_back) && lines_.info(way).dirty && queue_.full()) {
        return L1StoreResult::stall(ReservationFailure::miss_queue_full);
    }
    make_room(way);
    return {L1Answer::hit};
}

}  // namespace lookahead::gpu
