#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/cache/l1_events.h"
#include "components/cache/tag_array.h"
#include "components/mechanisms/ccws/victim_tags.h"
#include "components/sm/warp_scheduler/gto_order.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct CcwsParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, victim_entries, 16, {1, 1024, "tag"},
                        {.help = "Tags of a warp's victim tag array: a multiple of victim_ways.",
                         .source = "Rogers et al., MICRO 2012, configuration of CCWS: 16 for each wavefront"});
    LOOKAHEAD_PARAMETER(std::int64_t, victim_ways, 8, {1, 1024, "tag"},
                        {.help = "Tags of a set of a victim tag array.",
                         .source = "Rogers et al., configuration of CCWS: 8-way"});
    LOOKAHEAD_PARAMETER(std::int64_t, base_score, 100, {1, 1'000'000, "cycle"},
                        {.help = "Minimum score of a warp; multiplied by the number of resident warps, it is the "
                                 "cutoff for the sum of scores.",
                         .source = "Rogers et al., configuration of CCWS: 100"});
    LOOKAHEAD_PARAMETER(std::int64_t, throttle, 8, {0, 1000, "cutoff"},
                        {.help = "K of the score that a warp gets for lost locality: hits / instructions * K * cutoff.",
                         .source = "Rogers et al., configuration of CCWS: K = 8"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, score_limit, 1, {0, 1'000'000, "cutoff"},
        {.help = "Maximum score of a warp; 0: no maximum.",
         .source =
             "choice: a warp with a score of one cutoff already runs alone, and no counter is wider than necessary"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Counts of one CCWS scheduler. victim_hits <= probes; held_back <= withholding <= picks.
struct CcwsCounters {
    LOOKAHEAD_COUNTER(insertions, "line", "Evicted lines that entered a victim tag array.");
    LOOKAHEAD_COUNTER(probes, "access",
                      "Demand loads that missed in L1 and looked their line up among their warp's victims.");
    LOOKAHEAD_COUNTER(victim_hits, "access", "Part of probes: lines that the array had, which is lost locality.");
    LOOKAHEAD_COUNTER(picks, "cycle", "Cycles in which the scheduler had a candidate.");
    LOOKAHEAD_COUNTER(withholding, "cycle", "Part of picks: cycles in which it withheld the load of a candidate.");
    LOOKAHEAD_COUNTER(withheld_loads, "warp", "Candidates whose load was withheld, over all cycles.");
    LOOKAHEAD_COUNTER(held_back, "cycle", "Part of withholding: cycles in which nothing issued for that reason.");
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

/// Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012). Warps that lose lines of their own before they use
/// them again score. The scores are stacked, the highest first; warps that the stack lifts over the cutoff may issue no
/// loads, so that the others find their lines. README.md has the rules and choices.
class CcwsScheduler final : public WarpScheduler, public L1Listener {
  public:
    using Parameters = CcwsParameters;

    CcwsScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : parameters_(parameters),
          warps_(arguments.warps),
          view_(arguments.view),
          victims_(warps_.count(), static_cast<unsigned>(parameters.victim_entries),
                   static_cast<unsigned>(parameters.victim_ways)) {
        std::uint8_t number = 0;
        warps_.for_each([&](unsigned warp) { numbers_[warp] = number++; });
        by_age_.reserve(warps_.count());
    }

    unsigned pick(ContextMask candidates, Cycle now) override {
        ++counters_.picks;
        const ContextMask withheld = raised_ == 0 ? ContextMask{0} : withheld_of(candidates, now);
        if (withheld != 0) {
            ++counters_.withholding;
            counters_.withheld_loads += withheld.count();
            if (withheld == candidates) {
                ++counters_.held_back;
                return kHoldBack;
            }
        }
        ++issued_;
        return order_.pick(candidates & ~withheld);
    }

    void started(unsigned warp) override {
        order_.started(warp);
        by_age_.push_back(static_cast<std::uint8_t>(warp));
        resident_ |= context_bit(warp);
        victims_.clear(numbers_[warp]);
    }
    void exited(unsigned warp) override {
        order_.exited(warp);
        std::erase(by_age_, static_cast<std::uint8_t>(warp));
        resident_ &= ~context_bit(warp);
        raised_ &= ~context_bit(warp);
    }
    void launch_started() override {
        issued_ = 0;
        hits_ = 0;
    }

    L1Listener* l1_listener() override { return this; }
    void on_l1_event(const L1Event& event) override {
        if (event.warp >= kMaximumContexts || !warps_.has(event.warp)) { return; }  // a prefetch may be of no warp
        if (event.kind == L1EventKind::miss) {
            missed(event);
        } else if (event.kind == L1EventKind::evict) {
            evicted(event);
        }
    }

    void visit_statistics(StatisticsVisitor& visitor, const std::string& component) const override {
        visit(visitor, component, "ccws", counters_);
    }
    void fields(StateArchive& archive) override {
        archive& order_& victims_& by_age_& resident_& raised_& base_again_& issued_& hits_& counters_;
    }

  private:
    void evicted(const L1Event& event) {
        if (LOOKAHEAD_RULE(prefetched_lines_are_no_victims) && event.client != Client::demand) { return; }
        ++counters_.insertions;
        victims_.insert(numbers_[event.warp], event.line);
    }

    /// Stores and ordered loads keep no copy in L1 and have lost none. A warp's last loads may miss after its exit.
    void missed(const L1Event& event) {
        const bool wants_copy = event.operation == L1Operation::load && event.way != kNoWay;
        if (!wants_copy || event.client != Client::demand) { return; }
        ++counters_.probes;
        if (victims_.take(numbers_[event.warp], event.line)) {
            ++counters_.victim_hits;
            ++hits_;
            if (resident_.has(event.warp)) { lost_locality(event.warp, view_.now()); }
        }
    }

    std::uint64_t base() const { return static_cast<std::uint64_t>(parameters_.base_score); }
    std::uint64_t cutoff() const { return base() * by_age_.size(); }

    /// Sets the warp's score (section on lost-locality scores, equation 1). It falls by one each cycle from here on, so
    /// the cycle at which it is back at the base gives the score at any time.
    void lost_locality(unsigned warp, Cycle now) {
        const std::uint64_t cut = cutoff();
        std::uint64_t score =
            hits_ * static_cast<std::uint64_t>(parameters_.throttle) * cut / std::max<std::uint64_t>(issued_, 1);
        if (parameters_.score_limit != 0) {
            score = std::min(score, static_cast<std::uint64_t>(parameters_.score_limit) * cut);
        }
        const Cycle above = static_cast<Cycle>(std::max(score, base()) - base());
        base_again_[warp] = now + above;
        raised_ |= context_bit(warp);
    }

    /// The candidates whose next instruction is a load that may not issue.
    ContextMask withheld_of(ContextMask candidates, Cycle now) {
        const ContextMask loads = view_.loads(candidates);
        return loads == 0 ? loads : loads & ~allowed(now);
    }

    /// Warps that may load: scores are added up from the highest down; the warp that brings the sum above the cutoff
    /// may not load, nor may those below it. Older warps come first among equal scores.
    ContextMask allowed(Cycle now) {
        std::array<std::uint8_t, kMaximumContexts> raised;
        unsigned count = 0;
        for (const unsigned warp : raised_) {
            if (base_again_[warp] <= now) {
                raised_ &= ~context_bit(warp);
            } else {
                raised[count++] = static_cast<std::uint8_t>(warp);
            }
        }
        std::sort(raised.begin(), raised.begin() + count, [&](unsigned a, unsigned b) {
            return base_again_[a] != base_again_[b] ? base_again_[a] > base_again_[b] : order_.older(a, b);
        });
        Filling filling{.room = cutoff()};
        for (unsigned i = 0; i < count; ++i) {
            if (!filling.add(raised[i], base() + static_cast<std::uint64_t>(base_again_[raised[i]] - now))) {
                return filling.warps;
            }
        }
        for (const unsigned warp : by_age_) {
            if (!raised_.has(warp) && !filling.add(warp, base())) { return filling.warps; }
        }
        return filling.warps;
    }

    /// The stack of scores below the cutoff. Its lowest warp always fits, because one warp must proceed: exits may
    /// lower the cutoff below the score of another warp.
    struct Filling {
        std::uint64_t room;
        ContextMask warps = 0;

        bool add(unsigned warp, std::uint64_t score);
    };

    CcwsParameters parameters_;
    ContextMask warps_;
    const WarpView& view_;
    std::array<std::uint8_t, kMaximumContexts> numbers_{};  ///< number of each of its warps among them
    GtoOrder order_;
    VictimTags victims_;
    std::vector<std::uint8_t> by_age_;                  ///< its resident warps, the oldest first
    ContextMask resident_ = 0;                          ///< the same as a set
    ContextMask raised_ = 0;                            ///< warps whose score may be above the base
    std::array<Cycle, kMaximumContexts> base_again_{};  ///< by warp: when its score is back at the base
    std::uint64_t issued_ = 0;                          ///< instructions of the launch
    std::uint64_t hits_ = 0;                            ///< victim hits of the launch's loads
    CcwsCounters counters_;
};

bool CcwsScheduler::Filling::add(unsigned warp, std::uint64_t score) {
    if (score > room && warps != 0) { return false; }
    room -= std::min(room, score);
    warps |= context_bit(warp);
    return true;
}

}  // namespace

LOOKAHEAD_REGISTER_STATISTICS(CcwsCounters, "ccws", "Cache-conscious scheduler.")
LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, CcwsScheduler, "ccws",
                           "Cache conscious: warps that lose their own lines may load, others wait; otherwise as gto.",
                           "Rogers, O'Connor and Aamodt, MICRO 2012")

}  // namespace lookahead::gpu
