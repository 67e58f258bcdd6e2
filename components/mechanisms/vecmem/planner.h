#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/mechanisms/vecmem/counted_loop.h"
#include "components/mechanisms/vecmem/pack_kernel.h"

namespace lookahead::vecmem {

/// What became of a kernel's blocks under each plan that was tried. It does not depend on the limit of registers.
struct TriedPlans : finaliser::Findings {
    using Key = std::vector<std::uint32_t>;
    /// Instructions of all trials together after which no loop is tried in another way. One limit of registers takes
    /// some 20 trials, so that only kernels above 13,000 instructions reach the bound there; finalising to a share of a
    /// kernel's registers goes through some twenty limits.
    static constexpr std::uint64_t kMostInstructions = 1U << 18;

    std::map<Key, std::vector<BlockOutcome>> outcomes;
    std::uint64_t instructions = 0;  ///< of all trials together
};

/// Finds for each block the plan that packs most: for a loop the length and the rounds at once that leave the fewest
/// instructions a round, within the registers; if none leaves fewer than there are, it stays. Jumps end their blocks.
class Planner {
  public:
    /// `lengths`: those that vectors may have, the wanted ones first. `tried` is of this kernel, these lengths and
    /// kinds.
    Planner(const VirtualKernel& kernel, std::vector<unsigned> lengths, unsigned register_limit,
            const VectorKinds& kinds = {}, std::shared_ptr<TriedPlans> tried = std::make_shared<TriedPlans>());

    PackedKernel run();
    /// After run(): the limits with which it would have come to the same.
    const finaliser::RegisterBounds& same_for() const { return same_for_; }

  private:
    struct Loop {
        std::vector<std::uint32_t> blocks;  ///< the first is the header
        bool decided = false;
        std::optional<std::uint64_t> rounds;
        bool is_crowded = false;     ///< at the factor tried last: too few registers
        bool extends_words = false;  ///< that a check could say do not wrap
        std::uint64_t cost = 0;      ///< of a round by the plan that it has
        std::uint32_t vectors = 0;   ///< that a round of several blocks has as it is

        std::uint32_t header() const { return blocks.front(); }
    };

    static TriedPlans::Key key_of(const std::vector<BlockPlan>& plans);
    bool may_try(const std::vector<BlockPlan>& plans) const;
    const std::vector<BlockOutcome>& outcomes_of(const std::vector<BlockPlan>& plans);
    void read_loops();
    Loop loop_as_it_is(const std::vector<std::uint32_t>& blocks, const CountedLoop& counted,
                       const std::vector<BlockOutcome>& in_place) const;
    void try_lengths();
    void try_factor(unsigned length, unsigned factor, bool checks_words, bool mixes_rounds);
    void set_fewer();
    void settle_reasons();
    /// Takes away what needs too many registers.
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
    std::vector<BlockOutcome> before_;  ///< by block: as it is
    finaliser::RegisterBounds same_for_;
};

}  // namespace lookahead::vecmem
