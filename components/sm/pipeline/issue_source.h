#pragma once

#include <cstdint>

#include "core/time/time.h"

namespace lookahead::gpu {

/// When a source is asked, relative to the warps' own streams of the scheduler.
enum class IssuePriority : std::uint8_t {
    above,   ///< before them: they get the cycles in which it issues nothing
    beside,  ///< in turns: the one that issued last is asked last
    below,   ///< after them: it gets the cycles in which they issue nothing
};

/// A source of instructions besides the warps' own streams, which may issue through a scheduler. Sources of one
/// priority are asked in the order in which they were added.
class IssueSource {
  public:
    virtual ~IssueSource() = default;
    virtual IssuePriority priority() const { return IssuePriority::below; }
    /// Issues an instruction in `scheduler`'s slot and returns true, or returns false.
    virtual bool issue(unsigned scheduler, Cycle now) = 0;
    /// Least cycle > `now` in which it would issue if nothing else happens; kNever when none.
    virtual Cycle next_issue(Cycle now) const = 0;
};

}  // namespace lookahead::gpu
