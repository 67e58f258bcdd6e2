// Accesses to private memory where L1 has a companion (components/cache/l1_companion.h).
#include <algorithm>
#include <bit>
#include <cstring>

#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/lane_data.h"

namespace lookahead::gpu {

namespace {

/// Words of the line that the lanes ask for; one each.
WordMask words_of_lanes(const std::uint8_t* offsets, isa::LaneMask lanes) {
    WordMask words = 0;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        words |= WordMask{1} << (offsets[std::countr_zero(left)] / 4);
    }
    return words;
}

}  // namespace

/// The lanes that the companion serves. Where there is none, L1 is asked for all of them in the same cycle: both look
/// their tags up; those that are left after a part was served come again.
isa::LaneMask CoalescingUnit::load_from_companion(const L1Access& access, isa::LaneMask lanes, Cycle now) {
    alignas(64) std::byte data[kLineBytes];
    PendingLoad& pending = loads_[head_.load];
    const WordMask wanted = words_of_lanes(pending.offsets, lanes);
    const WordMask words = companion_->load(access, wanted, data);
    LOOKAHEAD_DEBUG_ASSERT((words & ~wanted) == 0, "a companion of L1 serves words that nobody asked for");
    isa::LaneMask served = 0;
    for (isa::LaneMask left = words == 0 ? 0 : lanes; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        served |= isa::LaneMask{words >> (pending.offsets[lane] / 4) & 1} << lane;
    }
    if (served != 0) {
        pending.ready = std::max(pending.ready, now + hit_latency_ + companion_->latency());
        loads_.write({head_.load, served}, data);
    }
    return served;
}

/// All active lanes access the line, which is one word of each thread, and whole words of it. What the finaliser has split
/// into words (isa::local_memory_offset) comes as accesses of one word each, and those may be vectors.
bool CoalescingUnit::is_vector(const MemoryInstruction& memory, std::uint64_t line) const {
    return isa::lane_bytes(*memory.instruction) == 4 && queue_.front().memory.elements <= 1 &&
           (memory.active & ~lanes_in_line(memory.addresses, line)) == 0;
}

bool CoalescingUnit::load_private(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    const L1Access access{.line = line,
                          .pc = entry.memory.pc,
                          .warp = entry.memory.context,
                          .client = Client::demand,
                          .as_vector = is_vector(entry.memory, line)};
    if (const isa::LaneMask served = load_from_companion(access, lanes, now); served != 0) {
        entry.global &= ~served;
        counters_.global_accesses += served != lanes;  // the rest is another access
        return served == lanes;
    }
    const isa::LaneMask before = entry.global;
    const std::uint32_t flags = access.as_vector ? 0 : LoadTable::kNoVector;
    const bool done = l1_.sectored() ? load_sectors(entry, line, lanes, now, flags)
                                     : load_line(entry, line, kAllSectors, {head_.load | flags, lanes}, now);
    if (const isa::LaneMask taken = done ? lanes : before & ~entry.global; taken != 0) {
        PendingLoad& pending = loads_[head_.load];
        pending.ready = std::max(pending.ready, now + hit_latency_ + companion_->latency());
        companion_->missed(access, words_of_lanes(pending.offsets, taken));
    }
    return done;
}

bool CoalescingUnit::store_private(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now) {
    alignas(64) std::byte own[kLineBytes] = {};
    const L1Companion::StoreResult result = companion_->store(access, mask, bytes, own);
    switch (result.answer) {
        case L1Companion::StoreAnswer::absorbed:
            return true;
        case L1Companion::StoreAnswer::stalled:
            block(static_cast<std::uint8_t>(ReservationFailure::miss_queue_full), now);
            return false;
        case L1Companion::StoreAnswer::passed:
            break;
    }
    const ByteMask for_l1 = without(mask, bytes_of_words(result.absorbed));
    copy_masked(own, bytes, for_l1);
    if (!store_in_l1(access, for_l1 | bytes_of_words(result.with_it), own, now)) {
        return false;
    }
    companion_->passed(access.line, words_of(for_l1) | result.with_it);
    return true;
}

/// The line that came, for those who wait, the companion, or L1.
void CoalescingUnit::fill_private(const ReadReply& reply, Cycle now) {
    const Mshr& mshr = l1_.mshrs()[reply.tag];
    const L1Access access{
        .line = reply.line, .pc = mshr.pc, .warp = mshr.warp, .client = mshr.client, .sectors = reply.sectors};
    WordMask asked = 0;
    l1_.fill(
        reply, reply.data(),
        [&](const Waiter& waiter, const std::byte* line) {
            const std::uint32_t load = LoadTable::load_of(waiter);
            loads_.write(waiter, line);
            PendingLoad& pending = loads_[load];
            asked |= (waiter.token & LoadTable::kNoVector) != 0 ? 0 : words_of_lanes(pending.offsets, waiter.lanes);
            pending.ready = std::max(pending.ready, now + fill_latency_ + companion_->latency());
            loads_.data_came(load, now);
        },
        [&](const std::byte* line) { return companion_->fill(access, asked, line); });
}

}  // namespace lookahead::gpu
