#include "components/mechanisms/dac/address_unit.h"

#include <bit>

#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using isa::LaneMask;
using isa::QueueMode;

AddressUnit::AddressUnit(const DacParameters& parameters, const gpu::IssueExtensionArguments& sm,
                         const DacLaunch& launch, TupleQueue& tuples, WarpQueues& queues, EarlyLines& lines,
                         AffineWarp& affine, DacCounters& counters)
    : parameters_(parameters),
      sm_(sm),
      launch_(launch),
      tuples_(tuples),
      queues_(queues),
      lines_(lines),
      affine_(affine),
      counters_(counters),
      unit_(tuples.address_unit()) {
    sm_.memory.join(*this);
}

void AddressUnit::joined(gpu::L1Data& l1, const gpu::AllocationMap& allocations) {
    l1_ = &l1;
    allocations_ = &allocations;
    lines_.joined(l1);
    l1.reserve_locks(static_cast<unsigned>(parameters_.pwaq_entries) + sm_.state.warps.size() * 2 * isa::kWarpSize);
}

/// Skips warps whose queue has no room or that have a barrier to pass, so that they do not delay their siblings.
/// Returns false if there is no warp, or if the address of its CTA must be computed first.
bool AddressUnit::choose_warp(Cycle now) {
    const bool chosen = tuples_.choose_address(affine_.turns(), now, [&](AtqEntry& entry, unsigned context) {
        const bool stops = entry.mode == QueueMode::data || !parameters_.addresses_pass_barriers;
        if (LOOKAHEAD_RULE(barrier_stops_expansion) && stops && queues_.is_behind_marker(entry, context)) {
            return Turn::behind_marker;
        }
        return begin_access(entry, context) ? Turn::begun : Turn::no_room;
    });
    if (!chosen) { return false; }
    // Counts additions: base + block offset * block index, once per CTA, and again after a warp was skipped or another
    // entry came between; and once the step between rows.
    const Accumulator& accumulator = accumulators_[launch_.slot_of(unit_.warp)];
    const bool starts = accumulator.entry != unit_.entry || accumulator.next != unit_.warp;
    const unsigned additions = starts + std::exchange(tuples_.entry_of(unit_).adjusts, false);
    counters_.aeu_operations += additions;
    unit_.free = now + additions;
    return additions == 0;
}

/// Whether the set of the first line to request has no more lines to lock; then another warp's access goes first.
bool AddressUnit::waits_for_lock(const AtqEntry& entry, const AccessSize& size) const {
    return size.records != 0 && entry.mode == QueueMode::data && parameters_.early_loads && l1_ != nullptr &&
           l1_->locks().may_ever(size.first_line, gpu::Client::affine_expansion) &&
           l1_->locks().refuses(size.first_line, gpu::Client::affine_expansion);
}

/// Returns false if the warp's queue has no room for all records of the access, or its first line cannot be locked.
bool AddressUnit::begin_access(AtqEntry& entry, unsigned context) {
    AddressQueue& queue = queues_.addresses(context);
    AccessSize& size = entry.sizes[context];
    const auto fits = [&] { return queue.has_room(entries_of(size.records)) && !waits_for_lock(entry, size); };
    if (!queue.has_room(1) || (entry.tried.has(context) && !fits())) { return false; }
    const isa::Instruction& instruction = launch_.kernel().code[entry.pc];
    const unsigned slot = launch_.slot_of(context);
    const LaneMask active = entry.active[context];
    const unsigned bytes = isa::lane_bytes(instruction);
    LaneAddresses addresses{};
    warp_addresses(launch_.affine(), affine_.ctaid(slot), instruction, entry.tuples[slot], launch_.warp_of(context),
                   active, addresses.data());
    LaneAddresses behind = addresses;
    bool outside = false;
    if (instruction.space == isa::Space::local) {
        // Turns offsets into addresses in the warp's local memory, where the lanes' words are adjacent. An offset
        // outside stays as it is; the access will be refused.
        const std::uint64_t base = launch_.local_memory_of(context);
        const std::uint64_t limit = launch_.kernel().local_bytes;
        for (const unsigned lane : SetBits(active)) {
            outside |= addresses[lane] >= limit || addresses[lane] + bytes > limit;
            behind[lane] = base + isa::local_memory_offset(addresses[lane], lane);
        }
    }
    const unsigned records =
        outside ? 0 : compact(behind, active, launch_.rows_of(context), bytes, queue.entries(), expansion_.list);
    size = {records == 0 ? 0 : line_of(expansion_.list[0]), static_cast<std::uint8_t>(records)};
    entry.tried |= gpu::context_bit(context);
    LOOKAHEAD_ASSERT(!queue.empty() || queue.has_room(entries_of(size.records)),
                     "{}: an empty queue has no room for an access", sm_.execute.place_of(context));
    if (!fits()) { return false; }
    QueuedAccess& access = queue.push(records);
    access.name = {entry.pc, entry.sequence[context], active};
    access.data = entry.mode == QueueMode::data;
    access.awaited = 1;  // so that it does not dequeue before this unit has ended it
    access.addresses = records == 0 ? addresses : parameters_.check ? behind : LaneAddresses{};
    expansion_.records = records;
    expansion_.done = 0;
    return true;
}

bool AddressUnit::asks_for(const QueuedAccess& access) const {
    return access.data && LOOKAHEAD_RULE(enqueued_loads_ask_early) && parameters_.early_loads && l1_ != nullptr;
}

/// Does one step: a record, and the request for its line.
void AddressUnit::take_record(Cycle now) {
    unit_.free = now + 1;
    ++counters_.pwaq_accesses;
    if (expansion_.records == 0) {
        ++counters_.raw_accesses;
        return end_access();
    }
    ++counters_.aeu_operations;
    ++counters_.address_records;
    AddressQueue& queue = queues_.addresses(unit_.warp);
    QueuedRecord& record = queue.push_record();
    record.record = expansion_.list[expansion_.done];
    record.awaited = false;
    const unsigned bytes = lane_bytes();
    record.sectors = 0;
    for (std::uint32_t bits = record.record.mask; bits != 0; bits &= bits - 1) {
        const std::uint64_t first = record.record.region - record.line() +
                                    static_cast<unsigned>(std::countr_zero(bits)) * record.record.granule;
        for (std::uint64_t at = first; at < first + bytes; at += gpu::kSectorBytes) {
            record.sectors |= static_cast<gpu::SectorMask>(1u << at / gpu::kSectorBytes);
        }
        record.sectors |= static_cast<gpu::SectorMask>(1u << (first + bytes - 1) / gpu::kSectorBytes);
    }
    if (!asks_for(queue.last())) { return end_record(); }
    // Parts of one line, in consecutive records, are requested and locked once.
    if (expansion_.done > 0 && queue.record_before_last().line() == record.line() && !l1_->sectored()) {
        return end_record();
    }
    if (!is_mapped(record)) {
        ++counters_.unmapped_lines;
        return end_record();
    }
    expansion_.asks = expansion_.locks = true;
    expansion_.waits = false;
    expansion_.since = now;
    expansion_.sectors = l1_->sectored() ? record.sectors : gpu::kAllSectors;
    sm_.state.memory_wanted = true;
    sm_.memory.renew_clients();
}

/// Local memory is always mapped; the load itself will be refused if the host has not allocated its address.
bool AddressUnit::is_mapped(const QueuedRecord& record) const {
    const auto granule = record.record.granule;
    const auto low = static_cast<unsigned>(std::countr_zero(record.record.mask));
    const auto high = 31 - static_cast<unsigned>(std::countl_zero(record.record.mask));
    return record.line() >= isa::kLocalMemoryBase ||
           allocations_->contains(record.record.region + low * granule,
                                  record.record.region + high * granule + lane_bytes());
}

/// Requests the last record's line from L1 and locks it. The first line of an access waits until it can be locked;
/// later lines are requested without a lock if none is free, so that no access waits for locks while it holds some.
bool AddressUnit::access(Cycle now) {
    AddressQueue& queue = queues_.addresses(unit_.warp);
    QueuedRecord& record = queue.last_record();
    gpu::L1Access access{.line = record.line(),
                         .pc = launch_.dequeue_of(tuples_.entry_of(unit_).pc),
                         .warp = unit_.warp,
                         .client = gpu::Client::affine_expansion};
    while (expansion_.sectors != 0) {
        access.sectors = l1_->sectored() ? l1_->alike(access.line, expansion_.sectors) : gpu::kAllSectors;
        const bool locks = expansion_.locks && !expansion_.lock;
        const gpu::L1LoadResult result =
            locks ? l1_->load_and_lock(access, {}, expansion_.lock) : l1_->load(access, {});
        if (result.answer == gpu::L1Answer::stall) {
            if (locks && result.failure == gpu::ReservationFailure::no_line &&
                (expansion_.done > 0 || !l1_->locks().may_ever(access.line, access.client))) {
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
        lines_.locked(unit_.warp, queue.last(), record, std::move(expansion_.lock), expansion_.waits);
    } else {
        ++counters_.unlocked_lines;
    }
    expansion_.asks = false;
    end_record();
    return true;
}

void AddressUnit::end_record() {
    if (++expansion_.done == expansion_.records) { end_access(); }
}

void AddressUnit::end_access() {
    --queues_.addresses(unit_.warp).last().awaited;
    accumulators_[launch_.slot_of(unit_.warp)] = {unit_.entry, static_cast<std::uint16_t>(unit_.warp + 1)};
    if (tuples_.served(unit_, sm_.state.now)) { affine_.renew(); }
    sm_.state.wake(unit_.warp);
}

void AddressUnit::locks_ended() {
    sm_.memory.renew_clients();
    tuples_.renew_units(sm_.state.now);
    sm_.state.memory_wanted |= expansion_.asks;
}

}  // namespace lookahead::dac
