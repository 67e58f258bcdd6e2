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

/// A new last entry, whose fetch takes a unit that has nothing else a cycle.
void Dac::note_pending(AtqEntry& entry, Cycle from) {
    entry.pending = 0;
    for (unsigned context = 0; context < gpu::kMaximumContexts; ++context) {
        entry.pending |= entry.active[context] != 0 ? gpu::context_bit(context) : 0;
    }
    entry.adjusts = !entry.of_predicate() && has_rows(entry);
    Unit& unit = unit_of(entry);
    if (unit.entries++ == 0) { unit.free = std::max(unit.free, from + 2); }
    renew(unit);
}

/// What is added where the next thread stands in another row is computed once for all warps (section 4.2).
bool Dac::has_rows(const AtqEntry& entry) const {
    return launch_.block.y * launch_.block.z > 1 &&
           std::any_of(entry.tuples.begin(), entry.tuples.end(), [](const auto& tuples) {
               return std::any_of(tuples.begin(), tuples.end(), [](const Piece& piece) {
                   return (piece.tuple.offsets.thread[1] | piece.tuple.offsets.thread[2]) != 0;
               });
           });
}

/// Who waits for an entry holds up the warps of all CTAs.
bool Dac::others_are_held_up() const {
    return expansion_order_ == ExpansionOrder::tuple;
}

/// Of `warps` those that get nothing of younger entries before the ones that wait have got theirs.
ContextMask Dac::held_up_by(ContextMask pending, ContextMask warps) const {
    const ContextMask waiting = pending & warps;
    if (expansion_order_ == ExpansionOrder::warp) { return waiting; }
    if (others_are_held_up()) { return warps; }
    ContextMask held_up = 0;
    for (unsigned slot = 0; waiting != 0 && slot < siblings_.size(); ++slot) {
        held_up |= siblings_[slot].intersects(waiting) ? siblings_[slot] : ContextMask{};
    }
    return held_up;
}

/// The place of the oldest entry that counts for whether the CTA gets an address.
std::uint32_t Dac::first_address_of(unsigned slot) {
    if (others_are_held_up()) { return 0; }
    std::uint64_t& oldest = oldest_address_[slot];
    oldest = std::max(oldest, first_entry_);
    for (; oldest < first_entry_ + atq_.size(); ++oldest) {
        const AtqEntry& entry = atq_[static_cast<std::uint32_t>(oldest - first_entry_)];
        if (!entry.of_predicate() && entry.pending.intersects(siblings_[slot])) { break; }
    }
    return static_cast<std::uint32_t>(oldest - first_entry_);
}

/// What the unit goes on with: begin(entry, context) tells what becomes of an entry for a warp. False: there is
/// nothing.
template <class Begin>
bool Dac::choose(Unit& unit, Begin begin) {
    bool behind_marker = true;
    bool chosen = false;
    if (&unit == &aeu_ && address_order_ == AddressOrder::cta) {
        for (unsigned turn = 0; turn < siblings_.size() && !chosen; ++turn) {
            const unsigned slot = turns_[turn];
            chosen = choose_among(siblings_[slot], first_address_of(slot), unit, begin, behind_marker);
        }
    } else {
        chosen = choose_among(~ContextMask{}, 0, unit, begin, behind_marker);
    }
    if (chosen) { return true; }
    stop(unit, behind_marker);
    return false;
}

/// The oldest entry of the unit's kind that it can go on with for one of the warps, for the next of these behind the
/// last one that got it; entries before place `first` are none of these. `behind_marker` is cleared if some wait for
/// anything but a barrier.
template <class Begin>
bool Dac::choose_among(ContextMask warps, std::uint32_t first, Unit& unit, Begin begin, bool& behind_marker) {
    unsigned others = 0;
    for (std::uint32_t i = first; i < atq_.size(); ++i) {
        AtqEntry& entry = atq_[i];
        if (entry.pending == 0) { continue; }
        if (&unit_of(entry) != &unit) {
            // One is in the other unit; a second one is still the queue's head.
            if (++others == 2 && expansion_order_ == ExpansionOrder::tuple) { break; }
            continue;
        }
        const unsigned last = unit.entry == first_entry_ + i ? unit.warp : gpu::kMaximumContexts - 1;
        for (ContextMask left = entry.pending & warps; left != 0;) {
            const unsigned context = gpu::next_in_turn(left, last);
            left &= ~gpu::context_bit(context);
            const Turn turn = begin(entry, context);
            if (turn == Turn::begun) {
                unit.has_warp = true;
                unit.warp = static_cast<std::uint16_t>(context);
                unit.entry = first_entry_ + i;
                return true;
            }
            behind_marker &= turn == Turn::behind_marker;
        }
        warps &= ~held_up_by(entry.pending, warps);
        if (warps == 0) { break; }
    }
    return false;
}

/// The warp that the unit is at has got what it was to get. An entry leaves the queue when it is the first one and
/// nobody waits for it.
void Dac::served(Unit& unit) {
    AtqEntry& entry = this->entry(unit);
    entry.pending &= ~gpu::context_bit(unit.warp);
    unit.has_warp = false;
    if (entry.pending == 0) {
        ++counters_.atq_accesses;
        --unit.entries;
        if (expansion_order_ == ExpansionOrder::tuple) {
            renew_units();  // the other unit's next one may have become the head
        }
        while (!atq_.empty() && atq_.front().pending == 0) {
            atq_.pop();
            ++first_entry_;
            streams_.renew(kAffine);
        }
    }
    wake(unit.warp);
}

void Dac::stop(Unit& unit, bool behind_marker) {
    unit.stuck = true;
    unit.behind_marker = behind_marker;
    unit.since = state_.now;
}

void Dac::renew(Unit& unit) {
    if (!unit.stuck) { return; }
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
    if (aeu_.entries == 0 || aeu_.stuck || now < aeu_.free || expansion_.asks) { return; }
    if (!aeu_.has_warp && !choose_warp_for_addresses(now)) { return; }
    take_record(now);
}

/// Warps whose queue has no room, or that have a barrier to pass, are skipped, so that they do not hold up their
/// siblings. False: there is none, or the address of its CTA is computed first.
bool Dac::choose_warp_for_addresses(Cycle now) {
    const bool chosen = choose(aeu_, [&](AtqEntry& entry, unsigned context) {
        const bool stops = entry.mode == QueueMode::data || !parameters_.addresses_pass_barriers;
        if (LOOKAHEAD_RULE(barrier_stops_expansion) && stops && entry.markers[context] > markers_passed_[context]) {
            return Turn::behind_marker;
        }
        return begin_access(entry, context) ? Turn::begun : Turn::no_room;
    });
    if (!chosen) { return false; }
    // base + block offset * block index, once a CTA, and again behind a warp that was skipped or an entry that was not
    // the CTA's last one; and once what is added between rows.
    const Accumulator& accumulator = accumulators_[slot_of(aeu_.warp)];
    const bool starts = accumulator.entry != aeu_.entry || accumulator.next != aeu_.warp;
    const unsigned additions = starts + entry(aeu_).adjusts;
    entry(aeu_).adjusts = false;
    counters_.aeu_operations += additions;
    aeu_.free = now + additions;
    return additions == 0;
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

/// The first line that is to be asked for cannot be locked now, as its set has as many locked ones as it may: another
/// warp's address goes first.
bool Dac::waits_for_lock(const AtqEntry& entry, const AccessSize& size) const {
    return size.records != 0 && entry.mode == QueueMode::data && parameters_.early_loads && l1_ != nullptr &&
           l1_->may_lock_line(size.first_line, gpu::Client::affine_expansion) &&
           l1_->refuses_lock(size.first_line, gpu::Client::affine_expansion);
}

/// False: the warp's queue has no room for all records of the access, or its first line cannot be locked.
bool Dac::begin_access(AtqEntry& entry, unsigned context) {
    AddressQueue& queue = address_queues_[context];
    AccessSize& size = entry.sizes[context];
    const auto fits = [&] { return queue.has_room(entries_of(size.records)) && !waits_for_lock(entry, size); };
    if (!queue.has_room(1) || (entry.tried.has(context) && !fits())) { return false; }
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
    const unsigned records =
        outside ? 0 : compact(behind, active, rows_of(context), bytes, queue.entries(), expansion_.list);
    size = {records == 0 ? 0 : line_of(expansion_.list[0]), static_cast<std::uint8_t>(records)};
    entry.tried |= gpu::context_bit(context);
    LOOKAHEAD_ASSERT(!queue.empty() || queue.has_room(entries_of(size.records)),
                     execute_.place_of(context) + ": an empty queue has no room for an access");
    if (!fits()) { return false; }
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
    const unsigned bytes = isa::lane_bytes(launch_.kernel->code[entry(aeu_).pc]);
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
    if (++expansion_.done == expansion_.records) { end_access(); }
}

/// Local memory is; what the host has not allocated is refused when the load is performed.
bool Dac::is_mapped(const QueuedRecord& record) const {
    const unsigned bytes = isa::lane_bytes(launch_.kernel->code[entry(aeu_).pc]);
    const auto granule = record.record.granule;
    const auto low = static_cast<unsigned>(std::countr_zero(record.record.mask));
    const auto high = 31 - static_cast<unsigned>(std::countl_zero(record.record.mask));
    return record.line() >= isa::kLocalMemoryBase ||
           allocations_->contains(record.record.region + low * granule, record.record.region + high * granule + bytes);
}

/// One access of L1 for the last record's line, which it locks: the first of an access waits until it can; those behind
/// it go without where locks are out, so that no access waits for others' locks with some of its own.
bool Dac::access(Cycle now) {
    AddressQueue& queue = address_queues_[aeu_.warp];
    QueuedRecord& record = queue.last_record();
    gpu::L1Access access{
        .line = record.line(), .pc = pair_[entry(aeu_).pc], .warp = aeu_.warp, .client = gpu::Client::affine_expansion};
    while (expansion_.sectors != 0) {
        access.sectors = l1_->sectored() ? l1_->alike(access.line, expansion_.sectors) : gpu::kAllSectors;
        const bool locks = expansion_.locks && !expansion_.lock;
        const gpu::L1LoadResult result =
            locks ? l1_->load_and_lock(access, {}, expansion_.lock) : l1_->load(access, {});
        if (result.answer == gpu::L1Answer::stall) {
            if (locks && result.failure == gpu::ReservationFailure::no_line &&
                (expansion_.done > 0 || !l1_->may_lock_line(access.line, access.client))) {
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
    if (++expansion_.done == expansion_.records) { end_access(); }
    return true;
}

void Dac::end_access() {
    --address_queues_[aeu_.warp].last().awaited;
    accumulators_[slot_of(aeu_.warp)] = {aeu_.entry, static_cast<std::uint16_t>(aeu_.warp + 1)};
    served(aeu_);
}

// ---- Predicates -----------------------------------------------------------------------------------------------------

void Dac::expand_predicates(Cycle now) {
    if (peu_.entries == 0 || peu_.stuck || now < peu_.free || lanes_wanted_) { return; }
    peu_.free = now + 1;
    if (peu_.has_warp) { return end_predicate(now); }
    const bool chosen = choose(peu_, [&](const AtqEntry&, unsigned context) {
        return predicate_queues_[context].full() ? Turn::no_room : Turn::begun;
    });
    if (!chosen) { return; }
    switch (entry(peu_).comparisons[peu_.warp]) {
        case Comparisons::scalar: {
            Accumulator& compared = compared_[slot_of(peu_.warp)];
            counters_.peu_comparisons += compared.entry != peu_.entry;
            compared.entry = peu_.entry;
            ++counters_.scalar_predicates;
            return end_predicate(now);
        }
        case Comparisons::two:
            counters_.peu_comparisons += 2;
            ++counters_.two_comparison_predicates;
            return;  // the second one in the next cycle
        case Comparisons::lanes:
            ++counters_.lane_predicates;
            lanes_wanted_ = true;
            lane_states_.set(0, gpu::ready_for((*state_.kernel)[entry(peu_).pc].unit));
            return;
    }
}

void Dac::end_predicate(Cycle ready) {
    const unsigned warp = peu_.warp;
    const AtqEntry& entry = this->entry(peu_);
    predicate_queues_[warp].push() = {{entry.pc, entry.sequence[warp], entry.active[warp]}, entry.holds[warp], ready};
    ++counters_.pwpq_accesses;
    served(peu_);
}

/// The comparison of a warp's threads takes an instruction's place at the lanes (section 4.3), which are a pipeline:
/// its place in the warp's queue is taken, and the unit turns to the next warp while the lanes compare.
bool Dac::issue(unsigned scheduler, Cycle now) {
    if (!lanes_wanted_ || issue_.candidates(lane_states_, gpu::context_bit(0), scheduler, now) == 0) { return false; }
    const DecodedInstruction& decoded = (*state_.kernel)[entry(peu_).pc];
    lanes_wanted_ = false;
    lane_states_.set(0, ContextState::vacant);
    const Cycle ready = issue_.enter(scheduler, decoded, {}, {}, now) + decoded.latency;
    comparing_.push_back({ready, peu_.warp});
    end_predicate(ready);
    peu_.free = now + 1;
    return true;
}

void Dac::note_compared(Cycle now) {
    std::erase_if(comparing_, [&](const Comparing& each) {
        if (each.ready > now) { return false; }
        wake(each.context);
        return true;
    });
}

Cycle Dac::next_issue(Cycle now) const {
    return lanes_wanted_ ? issue_.next_of_ready(lane_states_, lane_schedulers_, now) : gpu::kNever;
}

}  // namespace lookahead::dac
