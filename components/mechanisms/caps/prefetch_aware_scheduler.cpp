#include <array>
#include <vector>

#include "components/sm/warp_scheduler/two_level_queues.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct PasParameters {
    std::string base = "two_level";
    std::int64_t ready_warps = 8;
    bool leading_warps = true;
    bool leading_cta = true;
    bool wakeup = true;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::PasParameters> {
    using P = lookahead::gpu::PasParameters;
    inline static const auto list = parameter_list<P>(
        choice("base", &P::base, {"two_level", "lrr", "gto"},
               {.help = "The scheduler whose order holds among warps of equal rank.",
                .source = "Koo et al., HPCA 2018, section V.A: two-level; the others as it says"}),
        integer("ready_warps", &P::ready_warps,
                {.unit = "warp",
                 .min = 1,
                 .max = gpu::kMaximumContexts,
                 .help = "Places of each scheduler's ready queue (base two_level).",
                 .source = "Koo et al., table III: 8 ready warps"}),
        boolean("leading_warps", &P::leading_warps,
                {.help = "The first warp of each CTA carries the leading mark and goes before all others.",
                 .source = "Koo et al., section V.A"}),
        boolean("leading_cta", &P::leading_cta,
                {.help = "Warps of the leading CTA, the one that has been resident for longest, go before the rest.",
                 .source = "Koo et al., section V.A and figure 8b"}),
        boolean("wakeup", &P::wakeup,
                {.help = "A warp whose prefetched line has come gets a place in the ready queue; the youngest warp "
                         "without a mark gives one up. Under lrr and gto it goes before unmarked warps once.",
                 .source = "Koo et al., section V.A, warp wake-up"}));
};

namespace lookahead::gpu {

/// Prefetch-aware scheduling (Koo et al., HPCA 2018): one warp of each CTA, marked, runs ahead and finds the CTA's base
/// addresses; then come the warps of the leading CTA, which find the stride.
class PrefetchAwareScheduler final : public WarpScheduler {
  public:
    using Parameters = PasParameters;

    PrefetchAwareScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : parameters_(parameters),
          two_level_(parameters.base == "two_level"),
          gto_(parameters.base == "gto"),
          queues_(arguments.states, static_cast<unsigned>(parameters.ready_warps)) {}

    unsigned pick(ContextMask candidates, Cycle) override {
        if (two_level_) {
            queues_.update(leading(), leading_cta());
            candidates &= queues_.ready();
            if (candidates == 0) {
                return kHoldBack;
            }
        }
        last_ = choose(candidates);
        if (LOOKAHEAD_RULE(woken_warp_goes_first_once)) {
            woken_ &= ~context_bit(last_);
        }
        return last_;
    }
    void cta_started(ContextMask warps) override {
        ctas_.push_back(warps);
        if (LOOKAHEAD_RULE(first_warps_go_first)) {
            marked_ |= context_bit(warps.first());
        }
    }
    void cta_ended(ContextMask warps) override {
        std::erase(ctas_, warps);
        marked_ &= ~warps;
    }
    void started(unsigned warp) override {
        start_[warp] = ++starts_;
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
        archive& queues_& marked_& based_& woken_& greedy_& last_& starts_& start_& ctas_;
    }

  private:
    /// Under gto a warp leads only until its base is known.
    ContextMask leading() const {
        const ContextMask done = LOOKAHEAD_RULE(gto_leads_until_base) && gto_ ? based_ : ContextMask{0};
        return parameters_.leading_warps ? marked_ & ~done : ContextMask{0};
    }
    ContextMask leading_cta() const {
        if (!LOOKAHEAD_RULE(leading_cta_goes_first) || !parameters_.leading_cta || ctas_.empty()) {
            return {};
        }
        return LOOKAHEAD_RULE(longest_resident_cta_leads) ? ctas_.front() : ctas_.back();
    }

    unsigned choose(ContextMask candidates) {
        ContextMask best = candidates & leading();
        best = best != 0 ? best : candidates & woken_;
        if (gto_) {
            best = best != 0 ? best : candidates & greedy_;
            const unsigned warp = oldest_of(best != 0 ? best : candidates);
            greedy_ = context_bit(warp);
            return warp;
        }
        best = best != 0 ? best : candidates & leading_cta();
        return next_in_turn(best != 0 ? best : candidates, last_);
    }

    /// A warp that waits for memory itself stays where it is: it would lose the place at once.
    void wake(unsigned warp) {
        if (!two_level_) {
            woken_ |= context_bit(warp);
            return;
        }
        if (!queues_.pending().has(warp) ||
            (LOOKAHEAD_RULE(waiting_warp_is_not_woken) && queues_.waiting().has(warp))) {
            return;
        }
        if (queues_.full()) {
            const ContextMask trailing = queues_.ready() & ~leading();
            if (trailing == 0) {
                return;
            }
            queues_.append(LOOKAHEAD_RULE(wake_up_displaces_youngest) ? youngest_of(trailing) : oldest_of(trailing));
        }
        queues_.admit(warp);
    }

    template <class Before>
    static unsigned extreme(ContextMask warps, Before before) {
        unsigned best = warps.first();
        for (const unsigned warp : warps) {
            best = before(warp, best) ? warp : best;
        }
        return best;
    }
    unsigned oldest_of(ContextMask warps) const {
        return extreme(warps, [this](unsigned a, unsigned b) { return start_[a] < start_[b]; });
    }
    unsigned youngest_of(ContextMask warps) const {
        return extreme(warps, [this](unsigned a, unsigned b) { return start_[a] > start_[b]; });
    }

    PasParameters parameters_;
    bool two_level_;
    bool gto_;
    TwoLevelQueues queues_;
    ContextMask marked_ = 0;  ///< the first warp of each resident CTA
    ContextMask based_ = 0;   ///< warps of which a prefetcher said that they led to a load
    ContextMask woken_ = 0;   ///< under lrr and gto, until they issue
    ContextMask greedy_ = 0;  ///< under gto, the warp that issued last
    std::uint32_t last_ = kMaximumContexts - 1;
    std::uint64_t starts_ = 0;
    std::array<std::uint64_t, kMaximumContexts> start_{};  ///< rank by age of each warp
    std::vector<ContextMask> ctas_;                        ///< resident, in the order of their start
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, PrefetchAwareScheduler, "pas",
                           "Prefetch aware: the leading warp of each CTA, the leading CTA, the rest.",
                           "Koo, Jeon, Liu, Kim and Annavaram, HPCA 2018")

}  // namespace lookahead::gpu
