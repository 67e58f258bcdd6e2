#include "components/mechanisms/vecmem/planner.h"

#include <algorithm>
#include <utility>

#include "components/frontend/finaliser/simplify/simplify.h"
#include "components/mechanisms/vecmem/masked_runs.h"
#include "components/mechanisms/vecmem/unroll.h"

namespace lookahead::vecmem {

Planner::Planner(const VirtualKernel& kernel, std::vector<unsigned> lengths, unsigned register_limit,
                 const VectorKinds& kinds, std::shared_ptr<TriedPlans> tried)
    : kernel_(kernel),
      lengths_(std::move(lengths)),
      register_limit_(register_limit),
      kinds_(kinds),
      tried_(std::move(tried)),
      plans_(kernel.blocks.size()) {}

/// The reason for rejecting a plan appears in the code only and changes no outcome.
TriedPlans::Key Planner::key_of(const std::vector<BlockPlan>& plans) {
    TriedPlans::Key key;
    for (const BlockPlan& plan : plans) {
        key.insert(key.end(), {plan.factor, plan.fewer, plan.mixes_rounds, plan.checks_words,
                               static_cast<std::uint32_t>(plan.lengths.size())});
        key.insert(key.end(), plan.lengths.begin(), plan.lengths.end());
    }
    return key;
}

const std::vector<BlockOutcome>& Planner::outcomes_of(const std::vector<BlockPlan>& plans) {
    const auto [found, is_new] = tried_->outcomes.try_emplace(key_of(plans));
    if (is_new) {
        found->second = pack_kernel(kernel_, plans, kinds_).blocks;
        for (const auto& block : kernel_.blocks) { tried_->instructions += block.code.size(); }
    }
    return found->second;
}

PackedKernel Planner::run() {
    before_ = outcomes_of(plans_);
    for (BlockPlan& plan : plans_) { plan.lengths = lengths_; }
    read_loops();
    try_lengths();
    PackedKernel packed = fitted();
    if (!packed.masked.empty()) {
        // Copies are removed before their block is split: within one block they are found.
        finaliser::simplify(packed.kernel);
        skip_masked_runs(packed.kernel, packed.masked);
    }
    return packed;
}

void Planner::read_loops() {
    const LoopBodies bodies(kernel_);
    const finaliser::Flow& flow = bodies.flow();
    const finaliser::Values values(kernel_, flow, finaliser::AllRows::yes);
    const Forms forms(kernel_, flow, values);
    const std::vector<BlockOutcome>& in_place = outcomes_of(plans_);
    for (const finaliser::Loop& loop : flow.loops()) {
        loop.blocks.for_each([&](std::uint32_t block) { plans_[block].reason = Reason::control; });
    }
    VirtualKernel names = kernel_;
    for (const finaliser::Loop& loop : flow.loops()) {
        const std::vector<std::uint32_t> blocks = bodies.blocks(loop.header);
        if (blocks.empty()) { continue; }
        const LoopFinding finding = counted_loop(kernel_, bodies, values, forms, loop.header, names);
        for (std::uint32_t block : blocks) { plans_[block].reason = finding.reason; }
        if (finding.reason == Reason::none) { loops_.push_back(loop_as_it_is(blocks, *finding.loop, in_place)); }
    }
}

/// Rounds at once must be better than the vectors that a loop of several blocks has by itself.
Planner::Loop Planner::loop_as_it_is(const std::vector<std::uint32_t>& blocks, const CountedLoop& counted,
                                     const std::vector<BlockOutcome>& in_place) const {
    Loop loop;
    loop.blocks = blocks;
    loop.rounds = counted.rounds;
    loop.extends_words = !extended_inductions(counted).empty();
    loop.cost = before_[blocks.front()].cost;
    if (blocks.size() == 1) { return loop; }
    loop.cost = 0;
    for (std::uint32_t block : blocks) {
        loop.cost += in_place[block].cost;
        loop.vectors += in_place[block].vectors;
    }
    return loop;
}

/// Tries plans for all loops side by side, so that the number of packings does not grow with the number of loops.
void Planner::try_lengths() {
    for (unsigned length : lengths_) {
        for (unsigned factor = 1; factor <= length; factor *= 2) {
            for (Loop& loop : loops_) { loop.is_crowded = false; }
            for (const bool mixes_rounds : {false, true}) {
                if (factor == 1 && mixes_rounds) { continue; }
                try_factor(length, factor, false, mixes_rounds);
                if (factor > 1) { try_factor(length, factor, true, mixes_rounds); }
            }
        }
    }
    for (const Loop& loop : loops_) {
        if (loop.decided) { continue; }
        plans_[loop.header()].factor = 1;
        plans_[loop.header()].lengths = lengths_;
    }
}

void Planner::try_factor(unsigned length, unsigned factor, bool checks_words, bool mixes_rounds) {
    std::vector<BlockPlan> plans = plans_;
    const auto takes_part = [&](const Loop& loop) {
        if (mixes_rounds && !loop.is_crowded) { return false; }
        if (factor == 1 && loop.blocks.size() > 1) { return false; }
        return !checks_words || loop.extends_words;
    };
    std::vector<Loop*> taking_part;
    for (Loop& loop : loops_) {
        if (takes_part(loop)) { taking_part.push_back(&loop); }
    }
    if (taking_part.empty()) { return; }
    for (const Loop* loop : taking_part) {
        plans[loop->header()].factor = factor;
        plans[loop->header()].checks_words = checks_words;
        plans[loop->header()].mixes_rounds = mixes_rounds;
        // Blocks without vectors of this length may have shorter ones, if allowed.
        plans[loop->header()].lengths.assign(std::ranges::find(lengths_, length), lengths_.end());
    }
    if (!may_try(plans)) {
        for (const Loop* loop : taking_part) {
            if (!loop->decided) { plans_[loop->header()].reason = Reason::effort; }
        }
        return;
    }
    const std::vector<BlockOutcome>& outcomes = outcomes_of(plans);
    for (Loop* loop : taking_part) {
        const BlockOutcome& outcome = outcomes[loop->header()];
        BlockPlan& plan = plans_[loop->header()];
        const bool is_crowded = outcome.refused == Reason::none && is_too_much(outcome, loop->header());
        if (!mixes_rounds) { loop->is_crowded |= is_crowded; }
        if (outcome.refused != Reason::none || is_crowded) {
            if (!loop->decided) { plan.reason = outcome.refused != Reason::none ? outcome.refused : Reason::registers; }
        } else if (outcome.longest == length && !repeats_vectors(outcome, *loop, factor) &&
                   is_better(outcome.cost, *loop, plans[loop->header()])) {
            loop->decided = true;
            loop->cost = outcome.cost;
            plan = plans[loop->header()];
            plan.reason = Reason::none;
            plan.reasons.clear();
        } else if (!loop->decided) {
            for (const auto& [origin, reason] : outcome.left) {
                if (reason != Reason::alone) { plan.reasons[origin] = reason; }
            }
        }
    }
}

/// More rounds at once or shorter vectors must save more than a few instructions, because fewer loops have so many
/// rounds. The cost of checks is small compared with the possible gain.
bool Planner::is_better(std::uint64_t cost, const Loop& loop, const BlockPlan& plan) const {
    const BlockPlan& so_far = plans_[loop.header()];
    const bool is_alike = plan.factor == so_far.factor && plan.lengths == so_far.lengths;
    return loop.decided && !is_alike ? 8 * cost < 7 * loop.cost : cost < loop.cost;
}

/// A round that the source has unrolled already has vectors: to save the loop's own instructions is not worth a check.
bool Planner::repeats_vectors(const BlockOutcome& outcome, const Loop& loop, unsigned factor) {
    return loop.vectors != 0 && outcome.vectors >= factor * loop.vectors;
}

bool Planner::is_too_much(const BlockOutcome& outcome, std::uint32_t block) {
    if (outcome.vectors == 0 || outcome.registers <= before_[block].registers) { return false; }
    const bool is_more = outcome.registers > register_limit_;
    same_for_.narrow_to(is_more ? finaliser::RegisterBounds{.least = 0, .most = outcome.registers - 1}
                                : finaliser::RegisterBounds{.least = outcome.registers});
    return is_more;
}

/// Shorter vectors, if allowed, serve the rounds that the longest leave over.
void Planner::set_fewer() {
    for (const Loop& loop : loops_) {
        BlockPlan& plan = plans_[loop.header()];
        plan.fewer = 1;
        if (plan.factor == 1 || plan.lengths.size() < 2) { continue; }
        const unsigned fewer = plan.factor * plan.lengths.back() / plan.lengths.front();
        if (fewer > 1 && (!loop.rounds || *loop.rounds % plan.factor >= fewer)) { plan.fewer = fewer; }
    }
}

/// The reason at a loop's header applies to all its blocks.
void Planner::settle_reasons() {
    for (const Loop& loop : loops_) {
        for (std::uint32_t block : loop.blocks) {
            plans_[block].reason = plans_[loop.header()].reason;
            plans_[block].reasons = plans_[loop.header()].reasons;
        }
    }
}

PackedKernel Planner::fitted() {
    for (;;) {
        set_fewer();
        settle_reasons();
        const std::vector<BlockOutcome>& outcomes = outcomes_of(plans_);
        bool fits = true;
        for (std::uint32_t block = 0; block < plans_.size(); ++block) {
            BlockPlan& plan = plans_[block];
            if (plan.lengths.empty() || !is_too_much(outcomes[block], block)) { continue; }
            fits = false;
            if (plan.factor > 1 && !plan.mixes_rounds) {
                plan.mixes_rounds = true;
                continue;
            }
            const unsigned length = plan.lengths[0];
            plan.lengths.erase(plan.lengths.begin());
            plan.factor = plan.lengths.empty() ? 1 : std::max(plan.factor * plan.lengths[0] / length, 1U);
            if (plan.lengths.empty()) { plan.reason = Reason::registers; }
        }
        if (fits) { return pack_kernel(kernel_, plans_, kinds_); }
    }
}

}  // namespace lookahead::vecmem
