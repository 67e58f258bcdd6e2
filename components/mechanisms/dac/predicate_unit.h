#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/mechanisms/dac/affine_warp.h"
#include "components/sm/pipeline/issue_source.h"

namespace lookahead::dac {

/// The predicate expansion unit (PEU; Wang and Lin, ISCA 2017, section 4.3). It makes each warp's predicate of a tuple
/// by one or two comparisons, or by a comparison on the SIMT lanes, which takes an instruction's issue slot.
class PredicateUnit final : private gpu::IssueSource {
  public:
    PredicateUnit(const gpu::IssueExtensionArguments& sm, const DacLaunch& launch, TupleQueue& tuples,
                  WarpQueues& queues, AffineWarp& affine, DacCounters& counters)
        : sm_(sm),
          launch_(launch),
          tuples_(tuples),
          queues_(queues),
          affine_(affine),
          counters_(counters),
          unit_(tuples.predicate_unit()),
          lane_schedulers_(sm.issue.schedulers(), gpu::context_bit(0)) {
        sm_.issue.add_source(*this);
    }

    void begin_cycle(Cycle now) {
        if (unit_.can_step(now) && !lanes_wanted_) { step(now); }
    }
    Cycle next_cycle(Cycle now) const {
        Cycle next = lanes_wanted_ ? gpu::kNever : unit_.next_step(now);
        for (const Comparing& each : comparing_) { next = std::min(next, std::max(now + 1, each.ready)); }
        return next;
    }
    /// Wakes the warps whose comparison on the lanes has ended.
    void note_compared(Cycle now) {
        std::erase_if(comparing_, [&](const Comparing& each) {
            if (each.ready > now) { return false; }
            sm_.state.wake(each.context);
            return true;
        });
    }

    /// The number of comparisons that the lanes have not finished.
    std::size_t comparing() const { return comparing_.size(); }
    void compared_fields(StateArchive& archive) { archive& compared_; }
    void fields(StateArchive& archive) {
        archive& lanes_wanted_& comparing_;
        if (archive.loading() && lanes_wanted_) { want_lanes(); }
    }

  private:
    /// A comparison on the lanes.
    struct Comparing {
        Cycle ready = 0;
        std::uint16_t context = 0;

        void fields(StateArchive& archive) { archive& ready& context; }
    };

    const gpu::DecodedInstruction& decoded() const { return (*sm_.state.kernel)[tuples_.entry_of(unit_).pc]; }
    void want_lanes() { lane_states_.set(0, gpu::ready_for(decoded().unit)); }

    void step(Cycle now) {
        unit_.free = now + 1;
        if (unit_.has_warp) { return end_predicate(now); }
        const bool chosen = tuples_.choose_predicate(now, [&](const AtqEntry&, unsigned context) {
            return queues_.predicates(context).full() ? Turn::no_room : Turn::begun;
        });
        if (!chosen) { return; }
        switch (tuples_.entry_of(unit_).comparisons[unit_.warp]) {
            case Comparisons::scalar: {
                Accumulator& compared = compared_[launch_.slot_of(unit_.warp)];
                counters_.peu_comparisons += compared.entry != unit_.entry;
                compared.entry = unit_.entry;
                ++counters_.scalar_predicates;
                return end_predicate(now);
            }
            case Comparisons::two:
                counters_.peu_comparisons += 2;
                ++counters_.two_comparison_predicates;
                return;  // the second comparison follows in the next cycle
            case Comparisons::lanes:
                ++counters_.lane_predicates;
                lanes_wanted_ = true;
                return want_lanes();
        }
    }

    void end_predicate(Cycle ready) {
        const unsigned warp = unit_.warp;
        const AtqEntry& entry = tuples_.entry_of(unit_);
        const PairName name{entry.pc, entry.sequence[warp], entry.active[warp]};
        queues_.predicates(warp).push() = {name, entry.holds[warp], ready};
        ++counters_.pwpq_accesses;
        if (tuples_.served(unit_, sm_.state.now)) { affine_.renew(); }
        sm_.state.wake(warp);
    }

    gpu::IssuePriority priority() const override { return affine_.priority(); }
    /// Issues a comparison to the lanes, which are a pipeline: its place in the warp's queue is reserved, and the unit
    /// turns to the next warp while the lanes compare.
    bool issue(unsigned scheduler, Cycle now) override {
        if (!lanes_wanted_ || sm_.issue.candidates(lane_states_, gpu::context_bit(0), scheduler, now) == 0) {
            return false;
        }
        const gpu::DecodedInstruction& comparison = decoded();
        lanes_wanted_ = false;
        lane_states_.set(0, gpu::ContextState::vacant);
        const Cycle ready = sm_.issue.enter(scheduler, comparison, {}, {}, now) + comparison.latency;
        comparing_.push_back({ready, unit_.warp});
        end_predicate(ready);
        unit_.free = now + 1;
        return true;
    }
    Cycle next_issue(Cycle now) const override {
        return lanes_wanted_ ? sm_.issue.next_of_ready(lane_states_, lane_schedulers_, now) : gpu::kNever;
    }

    const gpu::IssueExtensionArguments sm_;
    const DacLaunch& launch_;
    TupleQueue& tuples_;
    WarpQueues& queues_;
    AffineWarp& affine_;
    DacCounters& counters_;
    ExpansionUnit& unit_;                            ///< the unit's place in the tuple queue
    std::vector<gpu::ContextMask> lane_schedulers_;  ///< schedulers through which a comparison on the lanes may issue
    gpu::ContextStates lane_states_;                 ///< state of that comparison as a stream
    Accumulators compared_{};                        ///< by CTA slot
    bool lanes_wanted_ = false;                      ///< the unit waits for an issue slot
    std::vector<Comparing> comparing_;
};

}  // namespace lookahead::dac
