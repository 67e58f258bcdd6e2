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

/// What an access needs from its warp's queue and from L1's locks.
struct AccessSize {
    std::uint64_t first_line = 0;
    std::uint8_t records = 0;  ///< 0: a raw access
};

/// An entry of the affine tuple queue: the result of an `enqueue` for all warps of the batch that have active lanes.
struct AtqEntry {
    isa::QueueMode mode = isa::QueueMode::address;
    std::uint32_t pc = 0;          ///< PC of the enqueue
    gpu::ContextMask pending = 0;  ///< warps that have not received their part
    bool adjusts = false;          ///< an address tuple whose rows of threads still need adjusting
    SmThreads active{};
    std::array<std::uint32_t, gpu::kMaximumContexts> sequence{};  ///< by context: its number in the warp's queue
    std::array<std::uint32_t, gpu::kMaximumContexts>
        markers{};  ///< by context: markers that the affine stream passed before
    // For predicates:
    SmThreads holds{};
    std::array<Comparisons, gpu::kMaximumContexts> comparisons{};
    // For addresses:
    std::vector<AffineRegister> tuples;  ///< by CTA slot
    // The size of an access that a warp could not take, to avoid computing it at each attempt; no state.
    gpu::ContextMask tried = 0;
    std::array<AccessSize, gpu::kMaximumContexts> sizes{};

    bool of_predicate() const { return mode == isa::QueueMode::predicate; }
    void fields(StateArchive& archive) {
        archive& mode& pc& pending& adjusts& active& sequence& markers& holds& comparisons& tuples;
        tried = archive.loading() ? gpu::ContextMask{} : tried;
    }
};

/// The position of an expansion unit, which takes entries of its kind from the tuple queue, warp by warp.
struct ExpansionUnit {
    std::uint16_t entries = 0;   ///< entries of its kind that warps wait for
    bool stuck = false;          ///< it can proceed with none of them until something changes
    bool has_warp = false;       ///< it is working on `warp` and `entry`
    std::uint16_t warp = 0;      ///< the last one, if it is working on none
    std::uint64_t entry = 0;     ///< number of the entry
    Cycle free = 0;              ///< the first cycle of its next step
    Cycle since = 0;             ///< the cycle in which it became stuck
    bool behind_marker = false;  ///< stuck, and all warps in question have a barrier to pass

    bool can_step(Cycle now) const { return entries != 0 && !stuck && now >= free; }
    /// The first cycle > `now` of its next step if nothing else happens.
    Cycle next_step(Cycle now) const { return entries == 0 || stuck ? gpu::kNever : std::max(now + 1, free); }
    void fields(StateArchive& archive) { archive& entries& stuck& has_warp& warp& entry& free& since& behind_marker; }
};

/// The outcome when a unit turns to an entry for a warp.
enum class Turn : std::uint8_t { begun, no_room, behind_marker };

/// Identifies what a unit keeps for a CTA: the accumulated address (section 4.2), or the comparison for all its
/// threads.
struct Accumulator {
    std::uint64_t entry = 0;  ///< number of its entry; 0: none
    std::uint16_t next = 0;   ///< for an address: the warp whose first line it is

    void fields(StateArchive& archive) { archive& entry& next; }
};
using Accumulators = std::array<Accumulator, gpu::kMaximumContexts>;

/// The affine tuple queue (ATQ; Wang and Lin, ISCA 2017, section 4.1). It also chooses the entry and warp that each of
/// the two expansion units serves next (`dac.expansion`, `dac.address_order`).
class TupleQueue {
  public:
    TupleQueue(const DacParameters& parameters, DacCounters& counters);
    void begin_launch(unsigned ctas, unsigned warps_per_cta);

    bool full() const { return entries_.full(); }
    std::uint32_t size() const { return entries_.size(); }
    /// Appends an entry with nothing for any warp yet; the queue must not be full.
    AtqEntry& push(isa::QueueMode mode, std::uint32_t pc, const SmThreads& active);
    /// Completes the new last entry, which is ready at `from`; `has_rows`: see AtqEntry::adjusts.
    void complete(AtqEntry& entry, bool has_rows, Cycle from, Cycle now);
    /// Whether some entry has a part for the warp.
    bool owes(unsigned context) const;

    ExpansionUnit& address_unit() { return address_unit_; }
    ExpansionUnit& predicate_unit() { return predicate_unit_; }
    const ExpansionUnit& address_unit() const { return address_unit_; }
    const ExpansionUnit& predicate_unit() const { return predicate_unit_; }
    AtqEntry& entry_of(const ExpansionUnit& unit) { return entries_[place_of(unit.entry)]; }

    /// Chooses the address unit's next entry and warp. begin(entry, context) tries one and returns the outcome; `turns`
    /// has the CTA slots in their order. Returns false if there is none; then the unit is stuck.
    bool choose_address(std::span<const std::uint8_t> turns, Cycle now, auto begin) {
        if (!by_cta_) { return choose(address_unit_, now, begin); }
        bool behind_marker = true;
        for (const unsigned slot : turns) {
            if (choose_among(siblings_[slot], first_address_of(slot), address_unit_, begin, behind_marker)) {
                return true;
            }
        }
        return stop(address_unit_, behind_marker, now);
    }
    /// The same for the predicate unit, which serves the oldest entry first.
    bool choose_predicate(Cycle now, auto begin) { return choose(predicate_unit_, now, begin); }
    /// The unit has served its warp. Returns true if an entry has left the queue.
    bool served(ExpansionUnit& unit, Cycle now);
    /// Call it when a warp has dequeued, passed a barrier, or ended.
    void renew_units(Cycle now) {
        renew(address_unit_, now);
        renew(predicate_unit_, now);
    }

    void fields(StateArchive& archive);

  private:
    /// Which tuples stay in order in the units: all, those of a CTA, those of a warp.
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

    bool choose(ExpansionUnit& unit, Cycle now, auto begin) {
        bool behind_marker = true;
        return choose_among(~gpu::ContextMask{}, 0, unit, begin, behind_marker) || stop(unit, behind_marker, now);
    }
    /// Chooses the oldest entry of the unit's kind, from place `first` on, that can proceed for one of `warps`; of
    /// these, the next one after the last served. Clears `behind_marker` if some warp waits for anything but a barrier.
    bool choose_among(gpu::ContextMask warps, std::uint32_t first, ExpansionUnit& unit, auto begin,
                      bool& behind_marker) {
        unsigned others = 0;
        for (std::uint32_t i = first; i < entries_.size(); ++i) {
            AtqEntry& entry = entries_[i];
            if (entry.pending == 0) { continue; }
            if (&unit_of(entry) != &unit) {
                // The other unit works on the first one; the second still heads the queue.
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
    const bool by_cta_;  ///< the address unit serves one CTA after another, not the oldest tuple first
    DacCounters& counters_;
    std::vector<gpu::ContextMask> siblings_;  ///< by CTA slot: its contexts
    Ring<AtqEntry> entries_;
    std::uint64_t first_entry_ = 1;  ///< number of the first entry
    ExpansionUnit address_unit_;
    ExpansionUnit predicate_unit_;
    /// By CTA slot: no older entry has an address for the CTA. Derived from the queue; no state.
    std::array<std::uint64_t, gpu::kMaximumContexts> oldest_address_{};
};

}  // namespace lookahead::dac
