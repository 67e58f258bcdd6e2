#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/mechanisms/vecmem/counted_loop.h"
#include "components/mechanisms/vecmem/pack_kernel.h"

namespace lookahead::vecmem {

/// The outcome of each plan tried for a kernel. It does not depend on the register limit.
struct TriedPlans : finaliser::Findings {
    using Key = std::vector<std::uint32_t>;
    /// The most instructions of all trials together: at this number no further plan is tried. One register limit takes
    /// some 20 trials, so only kernels above 13,000 instructions reach the bound there; finalising to a share of a
    /// kernel's registers takes some twenty limits.
    static constexpr std::uint64_t kMostInstructions = 1U << 18;

    std::map<Key, std::vector<BlockOutcome>> outcomes;
    std::uint64_t instructions = 0;  ///< of all trials together
};

/// Finds the plan of each block that packs most. For a loop these are the vector length and the rounds at once that
/// leave the fewest instructions per round within the register limit; if none leaves fewer than the original, the loop
/// stays. Jumps must end their blocks.
class Planner {
  public:
    /// `lengths`: allowed vector lengths, preferred ones first. `tried` must be for this kernel, lengths and kinds.
    Planner(const VirtualKernel& kernel, std::vector<unsigned> lengths, unsigned register_limit,
            const VectorKinds& kinds = {}, std::shared_ptr<TriedPlans> tried = std::make_shared<TriedPlans>());

    /// Returns the kernel packed by the best plans found.
    PackedKernel run();
    /// After run(): the register limits that would have given the same result.
    const finaliser::RegisterBounds& same_for() const { return same_for_; }

  private:
    struct Loop {
        std::vector<std::uint32_t> blocks;  ///< the first is the header
        bool decided = false;
        std::optional<std::uint64_t> rounds;
        bool is_crowded = false;     ///< too few registers at the last factor tried
        bool extends_words = false;  ///< it extends words, and a check could prove that they do not wrap
        std::uint64_t cost = 0;      ///< of a round, by the current plan
        std::uint32_t vectors = 0;   ///< in a round of several blocks as it is

        std::uint32_t header() const { return blocks.front(); }
    };

    static TriedPlans::Key key_of(const std::vector<BlockPlan>& plans);
    bool may_try(const std::vector<BlockPlan>& plans) const {
        return tried_->instructions < TriedPlans::kMostInstructions || tried_->outcomes.contains(key_of(plans));
    }
    const std::vector<BlockOutcome>& outcomes_of(const std::vector<BlockPlan>& plans);
    void read_loops();
    Loop loop_as_it_is(const std::vector<std::uint32_t>& blocks, const CountedLoop& counted,
                       const std::vector<BlockOutcome>& in_place) const;
    void try_lengths();
    void try_factor(unsigned length, unsigned factor, bool checks_words, bool mixes_rounds);
    void set_fewer();
    void settle_reasons();
    /// Weakens the plans until no block needs too many registers.
    PackedKernel fitted();
    bool is_better(std::uint64_t cost, const Loop& loop, const BlockPlan& plan) const;
    static bool repeats_vectors(const BlockOutcome& outcome, const Loop& loop, unsigned factor);
    bool is_too_much(const BlockOutcome& outcome, std::uint32_t block);

    const VirtualKernel& kernel_;
    const std::vector<unsigned> lengths_;
    const unsigned register_limit_;
    const VectorKinds kinds_;
    const std::shared_ptr<TriedPlans> tried_;
    std::vector<BlockPlan> plans_;
    std::vector<Loop> loops_;
    std::vector<BlockOutcome> before_;  ///< by block: the unpacked block
    finaliser::RegisterBounds same_for_;
};

}  // namespace lookahead::vecmem
