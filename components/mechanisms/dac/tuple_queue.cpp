#include "components/mechanisms/dac/tuple_queue.h"

#include "core/error/error.h"

namespace lookahead::dac {

using gpu::ContextMask;

TupleQueue::TupleQueue(const DacParameters& parameters, DacCounters& counters)
    : order_(parameters.expansion == "tuple" ? Order::tuple
             : parameters.expansion == "cta" ? Order::cta
                                             : Order::warp),
      by_cta_(parameters.address_order == "cta"),
      counters_(counters),
      entries_(static_cast<std::size_t>(parameters.atq_entries)) {}

void TupleQueue::begin_launch(unsigned ctas, unsigned warps_per_cta) {
    for (unsigned i = 0; i < entries_.capacity(); ++i) { entries_[i].tuples.resize(ctas); }
    siblings_.clear();
    for (unsigned slot = 0; slot < ctas; ++slot) {
        siblings_.push_back(gpu::context_range(slot * warps_per_cta, warps_per_cta));
    }
}

AtqEntry& TupleQueue::push(isa::QueueMode mode, std::uint32_t pc, const SmThreads& active) {
    LOOKAHEAD_ASSERT(!full(), "the affine tuple queue overflows");
    ++counters_.atq_accesses;
    AtqEntry& entry = entries_.push();
    entry.mode = mode;
    entry.pc = pc;
    entry.active = active;
    entry.holds = {};
    entry.comparisons = {};
    entry.tried = 0;
    for (AffineRegister& tuples : entry.tuples) { tuples.clear(); }
    return entry;
}

/// An idle unit takes a cycle to fetch the entry.
void TupleQueue::complete(AtqEntry& entry, bool has_rows, Cycle from, Cycle now) {
    entry.pending = 0;
    for (unsigned context = 0; context < gpu::kMaximumContexts; ++context) {
        entry.pending |= entry.active[context] != 0 ? gpu::context_bit(context) : 0;
    }
    entry.adjusts = has_rows;
    ExpansionUnit& unit = unit_of(entry);
    if (unit.entries++ == 0) { unit.free = std::max(unit.free, from + 2); }
    renew(unit, now);
}

bool TupleQueue::owes(unsigned context) const {
    bool owed = false;
    entries_.for_each([&](const AtqEntry& entry) { owed |= entry.pending.has(context); });
    return owed;
}

/// Those of `warps` that get nothing of younger entries until the waiting ones have been served.
ContextMask TupleQueue::held_up_by(ContextMask pending, ContextMask warps) const {
    if (order_ == Order::tuple) { return warps; }
    const ContextMask waiting = pending & warps;
    if (order_ == Order::warp) { return waiting; }
    ContextMask held_up = 0;
    for (unsigned slot = 0; waiting != 0 && slot < siblings_.size(); ++slot) {
        held_up |= siblings_[slot].intersects(waiting) ? siblings_[slot] : ContextMask{};
    }
    return held_up;
}

/// The place of the oldest entry that can have an address for the CTA.
std::uint32_t TupleQueue::first_address_of(unsigned slot) {
    if (order_ == Order::tuple) { return 0; }
    std::uint64_t& oldest = oldest_address_[slot];
    oldest = std::max(oldest, first_entry_);
    for (; oldest < first_entry_ + entries_.size(); ++oldest) {
        const AtqEntry& entry = entries_[place_of(oldest)];
        if (!entry.of_predicate() && entry.pending.intersects(siblings_[slot])) { break; }
    }
    return place_of(oldest);
}

/// An entry leaves the queue when it is first and no warp waits for it.
bool TupleQueue::served(ExpansionUnit& unit, Cycle now) {
    AtqEntry& entry = entry_of(unit);
    entry.pending &= ~gpu::context_bit(unit.warp);
    unit.has_warp = false;
    if (entry.pending != 0) { return false; }
    ++counters_.atq_accesses;
    --unit.entries;
    if (order_ == Order::tuple) {
        renew_units(now);  // the other unit's next entry may have become the head
    }
    const std::uint64_t first = first_entry_;
    for (; !entries_.empty() && entries_.front().pending == 0; ++first_entry_) { entries_.pop(); }
    return first_entry_ != first;
}

bool TupleQueue::stop(ExpansionUnit& unit, bool behind_marker, Cycle now) {
    unit.stuck = true;
    unit.behind_marker = behind_marker;
    unit.since = now;
    return false;
}

void TupleQueue::fields(StateArchive& archive) {
    entries_.fields(archive, [&](AtqEntry& each) { archive& each; });
    archive& first_entry_& address_unit_& predicate_unit_;
    if (archive.loading()) { oldest_address_ = {}; }
}

}  // namespace lookahead::dac
