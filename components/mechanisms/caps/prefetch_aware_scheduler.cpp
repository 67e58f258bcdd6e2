#include <string>
#include <vector>

#include "components/sm/warp_scheduler/two_level_queues.h"
#include "components/sm/warp_scheduler/warp_ages.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct PasParameters {
    LOOKAHEAD_PARAMETER(std::string, base, "two_level", {"two_level", "lrr", "gto"},
                        {.help = "The scheduler whose order holds among warps of equal rank.",
                         .source = "Koo et al., HPCA 2018, section V.A: two-level; the paper also names the others"});
    LOOKAHEAD_PARAMETER(std::int64_t, ready_warps, 8, {1, gpu::kMaximumContexts, "warp"},
                        {.help = "Places of each scheduler's ready queue (base two_level).",
                         .source = "Koo et al., table III: 8 ready warps"});
    LOOKAHEAD_PARAMETER(std::string, order, "oldest", {"oldest", "rr"},
                        {.help = "Over two_level: of the warps of equal rank in the ready queue, the one that started "
                                 "first issues, or each in turn.",
                         .source = "Koo et al., section V.A: the oldest ready warp"});
    LOOKAHEAD_PARAMETER(
        bool, leading_warps, true,
        {.help = "A CTA's first warp of each scheduler carries the leading mark and goes before all others.",
         .source = "Koo et al., section V.A"});
    LOOKAHEAD_PARAMETER(
        std::string, leading_cta, "enqueue", {"enqueue", "issue", "off"},
        {.help = "Warps of the leading CTA, the one that has been resident for longest: enqueue, they take places of "
                 "the ready queue after the marked warps and before the rest; issue, they also go before the rest at "
                 "each issue, under lrr too; off, neither.",
         .source = "Koo et al., figure 8b: they fill the queue's remaining places; issue is not the paper's"});
    LOOKAHEAD_PARAMETER(
        bool, wakeup, true,
        {.help = "A warp whose prefetched line has arrived gets a place in the ready queue; the youngest warp without "
                 "a mark gives one up. Under lrr and gto it goes before unmarked warps once.",
         .source = "Koo et al., section V.A, warp wake-up"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Prefetch-aware scheduling (Koo et al., HPCA 2018): one marked warp of each CTA runs ahead and finds the CTA's base
/// addresses; then the warps of the leading CTA, which find the stride, get the remaining places. Each scheduler marks
/// the first of a CTA's warps that it owns, because otherwise one of two schedulers would have all marks.
class PrefetchAwareScheduler final : public WarpScheduler {
  public:
    using Parameters = PasParameters;

    PrefetchAwareScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : parameters_(parameters),
          two_level_(parameters.base == "two_level"),
          gto_(parameters.base == "gto"),
          in_turn_(!two_level_ || parameters.order == "rr"),
          takes_places_(parameters.leading_cta != "off"),
          issues_first_(parameters.leading_cta == "issue"),
          own_(arguments.warps),
          queues_(arguments.states, static_cast<unsigned>(parameters.ready_warps)) {}

    unsigned pick(ContextMask candidates, Cycle) override {
        if (two_level_) {
            queues_.update(leading(), takes_places_ ? leading_cta() : ContextMask{0});
            candidates &= queues_.ready();
            if (candidates == 0) { return kHoldBack; }
        }
        last_ = choose(candidates);
        woken_ &= ~context_bit(last_);
        return last_;
    }
    void cta_started(ContextMask warps) override {
        ctas_.push_back(warps);
        if (const ContextMask first = warps & own_; LOOKAHEAD_RULE(first_warps_go_first) && first != 0) {
            marked_ |= context_bit(first.first());
        }
    }
    void cta_ended(ContextMask warps) override {
        std::erase(ctas_, warps);
        marked_ &= ~warps;
    }
    void started(unsigned warp) override {
        ages_.started(warp);
        based_ &= ~context_bit(warp);
        queues_.append(warp);
    }
    void exited(unsigned warp) override {
        queues_.remove(warp);
        woken_ &= ~context_bit(warp);
        greedy_ &= ~context_bit(warp);
    }
    void hint(WarpHint hint, unsigned warp) override {
        if (hint == WarpHint::demote) {
            based_ |= context_bit(warp);
        } else if (parameters_.wakeup && (queues_.ready() | queues_.pending()).has(warp)) {
            wake(warp);
        }
    }

    void fields(StateArchive& archive) override {
        archive& queues_& marked_& based_& woken_& greedy_& last_& ages_& ctas_;
    }

  private:
    /// Under gto a warp leads only until its base is known.
    ContextMask leading() const {
        const ContextMask done = gto_ ? based_ : ContextMask{0};
        return parameters_.leading_warps ? marked_ & ~done : ContextMask{0};
    }
    ContextMask leading_cta() const { return ctas_.empty() ? ContextMask{0} : ctas_.front(); }

    unsigned choose(ContextMask candidates) {
        ContextMask best = candidates & leading();
        best = best != 0 ? best : candidates & woken_;
        if (gto_) {
            best = best != 0 ? best : candidates & greedy_;
            const unsigned warp = ages_.oldest_of(best != 0 ? best : candidates);
            greedy_ = context_bit(warp);
            return warp;
        }
        if (best == 0 && issues_first_) { best = candidates & leading_cta(); }
        best = best != 0 ? best : candidates;
        return in_turn_ ? next_in_turn(best, last_) : ages_.oldest_of(best);
    }

    /// A warp that waits for memory itself stays where it is: it would lose the place at once.
    void wake(unsigned warp) {
        if (!two_level_) {
            woken_ |= context_bit(warp);
            return;
        }
        if (!queues_.pending().has(warp) || queues_.waiting().has(warp)) { return; }
        if (queues_.full()) {
            const ContextMask trailing = queues_.ready() & ~leading();
            if (trailing == 0) { return; }
            queues_.append(ages_.youngest_of(trailing));
        }
        queues_.admit(warp);
    }

    PasParameters parameters_;
    bool two_level_;
    bool gto_;
    bool in_turn_;
    bool takes_places_;  ///< for the leading CTA
    bool issues_first_;
    ContextMask own_;  ///< the scheduler's warps
    TwoLevelQueues queues_;
    ContextMask marked_ = 0;  ///< its first warp of each resident CTA
    ContextMask based_ = 0;   ///< warps that led to a load, as a prefetcher reported
    ContextMask woken_ = 0;   ///< under lrr and gto, until they issue
    ContextMask greedy_ = 0;  ///< under gto, the warp that issued last
    std::uint32_t last_ = kMaximumContexts - 1;
    WarpAges ages_;
    std::vector<ContextMask> ctas_;  ///< resident, in the order of their start
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, PrefetchAwareScheduler, "pas",
                           "Prefetch aware: leading warps of all CTAs first, then places for the leading CTA.",
                           "Koo, Jeon, Liu, Kim and Annavaram, HPCA 2018")

}  // namespace lookahead::gpu
