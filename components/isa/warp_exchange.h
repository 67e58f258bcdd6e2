#pragma once

#include <cstdint>

#include "components/isa/handlers.h"
#include "components/isa/launch.h"
#include "components/isa/simt_state.h"
#include "core/state/state_archive.h"

namespace lookahead::isa {

struct Kernel;

/// The lanes that wait now in a `*.sync`, whose member masks may differ, and the lanes for which they wait.
struct Members {
    LaneMask lanes;
    LaneMask members;
};

/// `masks`: each lane's member mask. All of `active` need not wait if no member of any mask is missing; otherwise
/// returns the lanes with the first mask that misses a living lane.
Members members_of(const std::uint32_t* masks, LaneMask active, LaneMask alive);

/// On a stack, where no lane can wait for another: the lanes that the member masks (`masks`, as above) of `active`
/// name, that have not exited, and that do not execute the instruction with them, because they are on other paths or
/// its guard excludes them. Lanes whose next instruction is their exit (early returns) count as having exited.
LaneMask missing_members(const std::uint32_t* masks, LaneMask active, const SimtState& simt, const Kernel& kernel);

/// Equal for instructions that can be executed together: same operation, type and qualifiers.
std::uint64_t meeting_key(const Instruction& instruction);

/// Values of a warp's lanes that wait for one another in `*.sync` instructions at different places (SimtState::meet).
/// Each path puts in its lanes' values when it arrives; when all have come, the instruction is executed once for all;
/// each path takes its lanes' results when it runs again. A lane waits in at most one instruction.
class WarpExchange {
  public:
    /// Stores the sources of `lanes` as their instruction reads them.
    void put(const OperandRows& rows, const Instruction& instruction, LaneMask lanes);
    /// Executes `instruction` for `lanes`, the lanes of all its paths. Without a handler there are no results.
    void execute(AluHandler handler, const Instruction& instruction, LaneMask lanes);
    /// Writes the results of `lanes` to their destinations.
    void take(OperandRows& rows, const Instruction& instruction, LaneMask lanes) const;

    /// Sets a result for an instruction without a handler: a CTA barrier's reduction.
    void set_result(std::uint32_t value, bool predicate);
    /// The lanes' source predicates.
    LaneMask predicates() const { return predicates_; }

    void fields(StateArchive& archive) {
        for (auto& row : sources_) { archive& row.lanes; }
        archive& result_.lanes& predicates_& result_predicates_;
    }

  private:
    /// The first source's two words, the others' low words (no such instruction has more).
    static constexpr unsigned kRows = 4;

    Row sources_[kRows] = {};
    Row result_ = {};
    LaneMask predicates_ = 0;
    LaneMask result_predicates_ = 0;
};

}  // namespace lookahead::isa
