#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "components/isa/modes.h"
#include "components/mechanisms/dac/affine_cta.h"
#include "components/mechanisms/dac/affine_stack.h"
#include "components/mechanisms/dac/dac_counters.h"
#include "components/mechanisms/dac/dac_parameters.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::dac {

/// What an access asks of its warp's queue and of L1's locks.
struct AccessSize {
    std::uint64_t first_line = 0;
    std::uint8_t records = 0;  ///< 0: it is raw
};

/// An entry of the affine tuple queue: what an `enqueue` brings the warps of its batch. Its warps are those with active
/// lanes.
struct AtqEntry {
    isa::QueueMode mode = isa::QueueMode::address;
    std::uint32_t pc = 0;          ///< of the enqueue
    gpu::ContextMask pending = 0;  ///< warps that have not got theirs
    bool adjusts = false;          ///< an address, where rows of threads end: what that adds is still to be computed
    SmThreads active{};
    std::array<std::uint32_t, gpu::kMaximumContexts> sequence{};  ///< by context, among what it gets in that queue
    std::array<std::uint32_t, gpu::kMaximumContexts>
        markers{};  ///< by context, that the affine stream has passed before
    // A predicate's:
    SmThreads holds{};
    std::array<Comparisons, gpu::kMaximumContexts> comparisons{};
    // An address's:
    std::vector<AffineRegister> tuples;  ///< by CTA slot
    // What an address comes to for a warp that could not take it, so that it is not computed at each attempt; no state.
    gpu::ContextMask tried = 0;
    std::array<AccessSize, gpu::kMaximumContexts> sizes{};

    bool of_predicate() const { return mode == isa::QueueMode::predicate; }
    void fields(StateArchive& archive) {
        archive& mode& pc& pending& adjusts& active& sequence& markers& holds& comparisons& tuples;
        tried = archive.loading() ? gpu::ContextMask{} : tried;
    }
};

/// Where a unit that expands tuples stands: it takes entries of its kind from the tuple queue, warp by warp.
struct ExpansionUnit {
    std::uint16_t entries = 0;   ///< of its kind in the tuple queue, with warps that wait for theirs
    bool stuck = false;          ///< for none of them it can go on, until something changes
    bool has_warp = false;       ///< it is at `warp` and `entry`
    std::uint16_t warp = 0;      ///< the last one, if it is at none
    std::uint64_t entry = 0;     ///< number of the entry
    Cycle free = 0;              ///< the first cycle of its next step
    Cycle since = 0;             ///< it is stuck
    bool behind_marker = false;  ///< stuck: all that could be next have a barrier to pass

    bool can_step(Cycle now) const { return entries != 0 && !stuck && now >= free; }
    /// Least cycle > `now` of its next step if nothing else happens.
    Cycle next_step(Cycle now) const { return entries == 0 || stuck ? gpu::kNever : std::max(now + 1, free); }
    void fields(StateArchive& archive) { archive& entries& stuck& has_warp& warp& entry& free& since& behind_marker; }
};

/// What becomes of an entry for a warp when a unit turns to it.
enum class Turn : std::uint8_t { begun, no_room, behind_marker };

/// What a unit keeps for each CTA: the accumulated address of section 4.2, or the comparison for all of its threads.
struct Accumulator {
    std::uint64_t entry = 0;  ///< number of the entry that it is of; 0: none
    std::uint16_t next = 0;   ///< an address: the warp whose first line it is

    void fields(StateArchive& archive) { archive& entry& next; }
};
using Accumulators = std::array<Accumulator, gpu::kMaximumContexts>;

/// The affine tuple queue (ATQ; Wang and Lin, ISCA 2017, section 4.1), and to which entry and warp each of the two
/// units that expand it turns (`dac.expansion`, `dac.address_order`).
class TupleQueue {
  public:
    TupleQueue(const DacParameters& parameters, DacCounters& counters);
    void begin_launch(unsigned ctas, unsigned warps_per_cta);

    bool full() const { return entries_.full(); }
    std::uint32_t size() const { return entries_.size(); }
    /// A new last entry, of which the warps' own part is empty. Not when the queue is full.
    AtqEntry& push(isa::QueueMode mode, std::uint32_t pc, const SmThreads& active);
    /// The new last entry is complete at `from`; `has_rows`: see AtqEntry::adjusts.
    void complete(AtqEntry& entry, bool has_rows, Cycle from, Cycle now);
    /// Some entry has something for the warp.
    bool owes(unsigned context) const;

    ExpansionUnit& address_unit() { return address_unit_; }
    ExpansionUnit& predicate_unit() { return predicate_unit_; }
    const ExpansionUnit& address_unit() const { return address_unit_; }
    const ExpansionUnit& predicate_unit() const { return predicate_unit_; }
    AtqEntry& entry_of(const ExpansionUnit& unit) { return entries_[place_of(unit.entry)]; }

    /// What a unit goes on with: begin(entry, context) tells what becomes of an entry for a warp. False: there is
    /// nothing, and the unit is stuck. `turns`: CTA slots in the order in which the address unit turns to them.
    template <class Begin>
    bool choose_address(std::span<const std::uint8_t> turns, Cycle now, Begin begin) {
        if (!by_cta_) { return choose(address_unit_, now, begin); }
        bool behind_marker = true;
        for (const unsigned slot : turns) {
            if (choose_among(siblings_[slot], first_address_of(slot), address_unit_, begin, behind_marker)) {
                return true;
            }
        }
        return stop(address_unit_, behind_marker, now);
    }
    template <class Begin>
    bool choose_predicate(Cycle now, Begin begin) {
        return choose(predicate_unit_, now, begin);
    }
    /// The warp that the unit is at has got what it was to get. True: an entry has left the queue.
    bool served(ExpansionUnit& unit, Cycle now);
    /// A warp has dequeued, or has passed a barrier, or has ended.
    void renew_units(Cycle now) {
        renew(address_unit_, now);
        renew(predicate_unit_, now);
    }

    void fields(StateArchive& archive);

  private:
    /// Whose tuples keep their order in the units: all, those of a CTA, those of a warp.
    enum class Order : std::uint8_t { tuple, cta, warp };

    std::uint32_t place_of(std::uint64_t entry) const { return static_cast<std::uint32_t>(entry - first_entry_); }
    ExpansionUnit& unit_of(const AtqEntry& entry) { return entry.of_predicate() ? predicate_unit_ : address_unit_; }
    gpu::ContextMask held_up_by(gpu::ContextMask pending, gpu::ContextMask warps) const;
    std::uint32_t first_address_of(unsigned slot);
    bool stop(ExpansionUnit& unit, bool behind_marker, Cycle now);
    void renew(ExpansionUnit& unit, Cycle now) {
        if (unit.stuck && &unit == &address_unit_) {
            const auto cycles = static_cast<std::uint64_t>(now - unit.since);
            (unit.behind_marker ? counters_.barrier_wait_cycles : counters_.queue_wait_cycles) += cycles;
        }
        unit.stuck = false;
    }

    template <class Begin>
    bool choose(ExpansionUnit& unit, Cycle now, Begin begin) {
        bool behind_marker = true;
        return choose_among(~gpu::ContextMask{}, 0, unit, begin, behind_marker) || stop(unit, behind_marker, now);
    }
    /// The oldest entry of the unit's kind that it can go on with for one of the warps, for the next of these behind
    /// the last one that got it; entries before place `first` are none of these. `behind_marker` is cleared if some
    /// wait for anything but a barrier.
    template <class Begin>
    bool choose_among(gpu::ContextMask warps, std::uint32_t first, ExpansionUnit& unit, Begin begin,
                      bool& behind_marker) {
        unsigned others = 0;
        for (std::uint32_t i = first; i < entries_.size(); ++i) {
            AtqEntry& entry = entries_[i];
            if (entry.pending == 0) { continue; }
            if (&unit_of(entry) != &unit) {
                // One is in the other unit; a second one is still the queue's head.
                if (++others == 2 && order_ == Order::tuple) { break; }
                continue;
            }
            const unsigned last = unit.entry == first_entry_ + i ? unit.warp : gpu::kMaximumContexts - 1;
            for (gpu::ContextMask left = entry.pending & warps; left != 0;) {
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

    const Order order_;
    const bool by_cta_;  ///< the address unit turns to one CTA after the other, not to the oldest tuple first
    DacCounters& counters_;
    std::vector<gpu::ContextMask> siblings_;  ///< by CTA slot: its contexts
    Ring<AtqEntry> entries_;
    std::uint64_t first_entry_ = 1;  ///< number of the first one
    ExpansionUnit address_unit_;
    ExpansionUnit predicate_unit_;
    /// By CTA slot: no older entry owes the CTA an address. What is known of the queue, and no state.
    std::array<std::uint64_t, gpu::kMaximumContexts> oldest_address_{};
};

}  // namespace lookahead::dac
