// The units that expand tuples, and what the one of addresses asks L1 for.
#include <algorithm>
#include <bit>

#include "components/isa/address_space.h"
#include "components/isa/memory_access.h"
#include "components/mechanisms/dac/dac.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using gpu::DecodedInstruction;
using isa::LaneMask;
using isa::QueueMode;

// ---- The tuple queue ------------------------------------------------------------------------------------------------

/// From its head alone (section 4.1), to the unit that the entry is for.
void Dac::fetch_tuples(Cycle now) {
    while (!atq_.empty()) {
        Unit& unit = atq_.front().mode == QueueMode::predicate ? peu_ : aeu_;
        if (unit.busy) {
            return;
        }
        take(unit, now);
        streams_.renew(kAffine);
    }
}

void Dac::take(Unit& unit, Cycle now) {
    std::swap(unit.entry, atq_.front());
    atq_.pop();
    ++counters_.atq_accesses;
    unit.busy = true;
    unit.stuck = unit.has_warp = false;
    unit.free = now + 1;
    unit.pending = unit.entry.warps();
    unit.started = 0;
    unit.warp = gpu::kMaximumContexts - 1;  // the first one is next
    if (unit.entry.mode == QueueMode::predicate) {
        return;
    }
    // What is added where the next thread stands in another row, once for all warps (section 4.2).
    const bool has_rows = launch_.block.y * launch_.block.z > 1 &&
                          std::any_of(unit.entry.tuples.begin(), unit.entry.tuples.end(), [](const auto& tuples) {
                              return std::any_of(tuples.begin(), tuples.end(), [](const Piece& piece) {
                                  return (piece.tuple.offsets.thread[1] | piece.tuple.offsets.thread[2]) != 0;
                              });
                          });
    counters_.aeu_operations += has_rows;
    unit.free += has_rows;
}

void Dac::stop(Unit& unit, bool behind_marker) {
    unit.stuck = true;
    unit.behind_marker = behind_marker;
    unit.since = state_.now;
}

void Dac::renew(Unit& unit) {
    if (!unit.busy || !unit.stuck) {
        return;
    }
    unit.stuck = false;
    if (&unit == &aeu_) {
        const auto cycles = static_cast<std::uint64_t>(state_.now - unit.since);
        (unit.behind_marker ? counters_.barrier_wait_cycles : counters_.queue_wait_cycles) += cycles;
    }
}

/// A warp has dequeued, or has passed a barrier.
void Dac::renew_units() {
    renew(aeu_);
    renew(peu_);
}

// ---- Addresses ------------------------------------------------------------------------------------------------------

void Dac::expand_addresses(Cycle now) {
    if (!aeu_.busy || aeu_.stuck || now < aeu_.free || expansion_.asks) {
        return;
    }
    if (!aeu_.has_warp && !choose_warp_for_addresses(now)) {
        return;
    }
    take_record(now);
}

/// The next warp behind the last one whose queue has room; those that have none, or have a barrier to pass, are skipped, so
/// that they do not hold up their siblings. False: there is none, or the address of its CTA is computed first.
bool Dac::choose_warp_for_addresses(Cycle now) {
    bool behind_marker = true;
    ContextMask left = aeu_.pending;
    while (left != 0) {
        const unsigned context = gpu::next_in_turn(left, aeu_.warp);
        left &= ~gpu::context_bit(context);
        if (LOOKAHEAD_RULE(barrier_stops_expansion) && aeu_.entry.markers[context] > markers_passed_[context]) {
            continue;
        }
        behind_marker = false;
        if (!begin_access(context)) {
            if (!LOOKAHEAD_RULE(full_queue_is_skipped)) {
                break;
            }
            continue;
        }
        aeu_.has_warp = true;
        aeu_.warp = static_cast<std::uint16_t>(context);
        if (aeu_.started.has(context)) {
            return true;
        }
        // base + block offset * block index, once a CTA, and again behind a warp that was skipped.
        ++counters_.aeu_operations;
        aeu_.started |= gpu::context_bit(context);
        aeu_.free = now + 1;
        return false;
    }
    stop(aeu_, behind_marker);
    return false;
}

/// Offsets in local memory become addresses, the words of the lanes side by side. An offset outside
/// is left as it is; the access will be refused.
void Dac::to_memory_of_warp(unsigned context, const AtqEntry& entry, LaneAddresses& addresses) const {
    const std::uint64_t warp =
        execute_.identity().index * static_cast<std::uint64_t>(state_.parameters.max_warps) + context;
    const std::uint64_t base =
        isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(state_.kernel->kernel().local_bytes);
    for (LaneMask left = entry.active[context]; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        addresses[lane] = base + isa::local_memory_offset(addresses[lane], lane);
    }
}

/// False: the warp's queue has no room for all records of the access.
bool Dac::begin_access(unsigned context) {
    AddressQueue& queue = address_queues_[context];
    if (!queue.has_room(1)) {
        return false;
    }
    const AtqEntry& entry = aeu_.entry;
    const isa::Instruction& instruction = launch_.kernel->code[entry.pc];
    const unsigned slot = slot_of(context);
    const LaneMask active = entry.active[context];
    const unsigned bytes = isa::lane_bytes(instruction);
    LaneAddresses addresses{};
    warp_addresses(launch_, ctas_[slot].ctaid(), instruction, entry.tuples[slot],
                   context - slot * state_.launch.occupancy.warps_per_cta, active, addresses.data());
    LaneAddresses behind = addresses;
    bool outside = false;
    if (instruction.space == isa::Space::local) {
        for (LaneMask left = active; left != 0; left &= left - 1) {
            const std::uint64_t offset = addresses[static_cast<unsigned>(std::countr_zero(left))];
            outside |= offset >= launch_.kernel->local_bytes || offset + bytes > launch_.kernel->local_bytes;
        }
        to_memory_of_warp(context, entry, behind);
    }
    const unsigned records = outside ? 0 : compact(behind, active, bytes, queue.entries(), expansion_.list);
    if (!queue.has_room(std::max(records, 1u))) {
        return false;
    }
    QueuedAccess& access = queue.push(records);
    access.name = {entry.pc, entry.sequence[context], active};
    access.data = entry.mode == QueueMode::data;
    access.awaited = 1;  // this unit has not ended it
    access.addresses = records == 0 ? addresses : parameters_.check ? behind : LaneAddresses{};
    expansion_.records = records;
    expansion_.done = 0;
    return true;
}

/// One step: a record, and the request for its line.
void Dac::take_record(Cycle now) {
    aeu_.free = now + 1;
    ++counters_.pwaq_accesses;
    if (expansion_.records == 0) {
        ++counters_.raw_accesses;
        return end_access();
    }
    ++counters_.aeu_operations;
    ++counters_.address_records;
    AddressQueue& queue = address_queues_[aeu_.warp];
    QueuedRecord& record = queue.push_record();
    record.record = expansion_.list[expansion_.done];
    record.awaited = false;
    const unsigned bytes = isa::lane_bytes(launch_.kernel->code[aeu_.entry.pc]);
    record.sectors = 0;
    for (std::uint32_t bits = record.record.mask; bits != 0; bits &= bits - 1) {
        const std::uint64_t first = record.record.region - record.line() +
                                    static_cast<unsigned>(std::countr_zero(bits)) * record.record.granule;
        for (std::uint64_t at = first; at < first + bytes; at += gpu::kSectorBytes) {
            record.sectors |= static_cast<gpu::SectorMask>(1u << at / gpu::kSectorBytes);
        }
        record.sectors |= static_cast<gpu::SectorMask>(1u << (first + bytes - 1) / gpu::kSectorBytes);
    }
    if (queue.last().data && LOOKAHEAD_RULE(enqueued_loads_ask_early) && parameters_.early_loads && l1_ != nullptr) {
        // Parts of one line, whose records come one behind the other, are asked for and locked once.
        const bool again =
            expansion_.done > 0 && queue.record_before_last().line() == record.line() && !l1_->sectored();
        if (again) {
            ++expansion_.done;
            return expansion_.done == expansion_.records ? end_access() : void();
        }
        if (is_mapped(record)) {
            expansion_.asks = expansion_.locks = true;
            expansion_.waits = false;
            expansion_.since = now;
            expansion_.sectors = l1_->sectored() ? record.sectors : gpu::kAllSectors;
            state_.memory_wanted = true;
            memory_.renew_client();
            return;
        }
        ++counters_.unmapped_lines;
    }
    if (++expansion_.done == expansion_.records) {
        end_access();
    }
}

/// Local memory is; what the host has not allocated is refused when the load is performed.
bool Dac::is_mapped(const QueuedRecord& record) const {
    const unsigned bytes = isa::lane_bytes(launch_.kernel->code[aeu_.entry.pc]);
    const auto granule = record.record.granule;
    const auto low = static_cast<unsigned>(std::countr_zero(record.record.mask));
    const auto high = 31 - static_cast<unsigned>(std::countl_zero(record.record.mask));
    return record.line() >= isa::kLocalMemoryBase ||
           allocations_->contains(record.record.region + low * granule, record.record.region + high * granule + bytes);
}

/// One access of L1 for the last record's line, which it locks: the first of an access waits until it can; those behind it go
/// without where locks are out, so that no access waits for others' locks with some of its own.
bool Dac::access(Cycle now) {
    AddressQueue& queue = address_queues_[aeu_.warp];
    QueuedRecord& record = queue.last_record();
    gpu::L1Access access{
        .line = record.line(), .pc = pair_[aeu_.entry.pc], .warp = aeu_.warp, .client = gpu::Client::affine_expansion};
    while (expansion_.sectors != 0) {
        access.sectors = l1_->sectored() ? l1_->alike(access.line, expansion_.sectors) : gpu::kAllSectors;
        const bool locks = expansion_.locks && !expansion_.lock;
        const gpu::L1LoadResult result =
            locks ? l1_->load_and_lock(access, {}, expansion_.lock) : l1_->load(access, {});
        if (result.answer == gpu::L1Answer::stall) {
            if (locks && result.failure == gpu::ReservationFailure::no_line &&
                (expansion_.done > 0 || !l1_->may_lock_lines() || !LOOKAHEAD_RULE(first_line_waits_for_its_lock))) {
                expansion_.locks = false;
                continue;
            }
            return false;
        }
        expansion_.waits |= result.answer != gpu::L1Answer::hit;
        expansion_.sectors &= static_cast<gpu::SectorMask>(~access.sectors);
    }
    ++counters_.line_requests;
    counters_.lock_wait_cycles += static_cast<std::uint64_t>(now - expansion_.since);
    if (expansion_.lock) {
        ++counters_.locked_lines;
        ++locks_;
        record.lock = std::move(expansion_.lock);
        record.awaited = expansion_.waits;
        if (expansion_.waits) {
            ++queue.last().awaited;
            awaited_.push_back({access.line, aeu_.warp});
        }
    } else {
        ++counters_.unlocked_lines;
    }
    expansion_.asks = false;
    if (++expansion_.done == expansion_.records) {
        end_access();
    }
    return true;
}

void Dac::end_access() {
    const unsigned warp = aeu_.warp;
    --address_queues_[warp].last().awaited;
    aeu_.pending &= ~gpu::context_bit(warp);
    aeu_.started &= ~gpu::context_bit(warp);
    if (warp + 1 < state_.warps.size() && slot_of(warp + 1) == slot_of(warp)) {
        aeu_.started |= gpu::context_bit(warp + 1);
    }
    aeu_.has_warp = false;
    aeu_.busy = aeu_.pending != 0;
    wake(warp);
}

// ---- Predicates -----------------------------------------------------------------------------------------------------

void Dac::expand_predicates(Cycle now) {
    if (!peu_.busy || peu_.stuck || now < peu_.free || lanes_wanted_) {
        return;
    }
    peu_.free = now + 1;
    if (peu_.has_warp) {
        return end_predicate();
    }
    ContextMask left = peu_.pending;
    while (left != 0) {
        const unsigned context = gpu::next_in_turn(left, peu_.warp);
        left &= ~gpu::context_bit(context);
        if (predicate_queues_[context].full()) {
            continue;
        }
        peu_.has_warp = true;
        peu_.warp = static_cast<std::uint16_t>(context);
        switch (peu_.entry.comparisons[context]) {
            case Comparisons::scalar: {
                const ContextMask first = gpu::context_bit(slot_of(context));
                counters_.peu_comparisons += (peu_.started & first) == 0;
                peu_.started |= first;
                ++counters_.scalar_predicates;
                return end_predicate();
            }
            case Comparisons::two:
                counters_.peu_comparisons += 2;
                ++counters_.two_comparison_predicates;
                return;  // the second one in the next cycle
            case Comparisons::lanes:
                ++counters_.lane_predicates;
                lanes_wanted_ = true;
                lane_states_.set(0, gpu::ready_for((*state_.kernel)[peu_.entry.pc].unit));
                return;
        }
    }
    stop(peu_, false);
}

void Dac::end_predicate() {
    const unsigned warp = peu_.warp;
    predicate_queues_[warp].push() = {{peu_.entry.pc, peu_.entry.sequence[warp], peu_.entry.active[warp]},
                                      peu_.entry.holds[warp]};
    ++counters_.pwpq_accesses;
    peu_.pending &= ~gpu::context_bit(warp);
    peu_.has_warp = false;
    peu_.busy = peu_.pending != 0;
    wake(warp);
}

/// The comparison of a warp's threads takes an instruction's place at the lanes (section 4.3).
bool Dac::issue(unsigned scheduler, Cycle now) {
    if (!lanes_wanted_ || issue_.candidates(lane_states_, gpu::context_bit(0), scheduler, now) == 0) {
        return false;
    }
    const DecodedInstruction& decoded = (*state_.kernel)[peu_.entry.pc];
    lanes_wanted_ = false;
    lane_states_.set(0, ContextState::vacant);
    peu_.free = issue_.enter(scheduler, decoded, {}, {}, now) + decoded.latency;
    return true;
}

Cycle Dac::next_issue(Cycle now) const {
    return lanes_wanted_ ? issue_.next_of_ready(lane_states_, lane_schedulers_, now) : gpu::kNever;
}

}  // namespace lookahead::dac
