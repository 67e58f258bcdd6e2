// Lines that make room where fills under way have tags of their own (l1d.pending_ways).
#include <bit>

#include "components/cache/l1_data.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

/// A line with its bytes becomes one of its set's, of which another one makes room. Where none can, as all others await
/// sectors, are pinned, or are dirty and the miss queue is full, it is the one that goes: nobody waits for it.
void L1Data::settle(std::uint32_t way) {
    const unsigned set = way / tags_.ways();
    replacement_->reserve(set, way % tags_.ways());
    if (lines_held(set) <= lines_of_set_) { return; }
    std::uint64_t others = tags_.choice(set).replaceable & ~(std::uint64_t{1} << (way % tags_.ways()));
    if (LOOKAHEAD_RULE(fill_waits_for_no_write_back) && queue_.full()) {
        for (std::uint64_t left = others; left != 0; left &= left - 1) {
            const auto other = static_cast<unsigned>(std::countr_zero(left));
            others &= ~(std::uint64_t{tags_.info(set * tags_.ways() + other).dirty} << other);
        }
    }
    if (others != 0) {
        make_room(set * tags_.ways() + replacement_->victim(set, others));
        return;
    }
    if (tags_.info(way).pins != 0) { locks_.lose(way); }
    ++counters_.evictions;
    drop(way);
}

bool L1Data::holds_bytes(std::uint32_t way) const {
    return tags_.info(way).valid != 0 || tags_.info(way).dirty;
}

unsigned L1Data::lines_held(unsigned set) const {
    unsigned held = 0;
    for (unsigned way = 0; way < tags_.ways(); ++way) { held += holds_bytes(set * tags_.ways() + way); }
    return held;
}

/// For bytes of a line that the set does not hold: one of those that it holds goes, if need be.
L1StoreResult L1Data::make_room_for_stored(unsigned set) {
    if (lines_held(set) < lines_of_set_) { return {L1Answer::hit, {}}; }
    const std::uint64_t candidates = tags_.choice(set).replaceable;
    if (candidates == 0) { return store_stall(ReservationFailure::no_line); }
    const std::uint32_t way = set * tags_.ways() + replacement_->victim(set, candidates);
    if (LOOKAHEAD_RULE(stored_line_waits_for_write_back) && tags_.info(way).dirty && queue_.full()) {
        return store_stall(ReservationFailure::miss_queue_full);
    }
    make_room(way);
    return {L1Answer::hit, {}};
}

}  // namespace lookahead::gpu
