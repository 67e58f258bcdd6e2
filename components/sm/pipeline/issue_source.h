#pragma once

#include <cstdint>

#include "core/time/time.h"

namespace lookahead::gpu {

/// When a source is asked, against the warps' own streams of the scheduler.
enum class IssuePriority : std::uint8_t {
    above,   ///< before them: they have the cycles in which it issues nothing
    beside,  ///< in turns: whichever issued last is asked last
    below,   ///< it has the cycles in which they issue nothing
};

/// Something besides the warps' own streams that may issue through a scheduler. Sources of one priority are asked in
/// the order in which they were added.
class IssueSource {
  public:
    virtual ~IssueSource() = default;
    virtual IssuePriority priority() const { return IssuePriority::below; }
    /// Issues an instruction in `scheduler`'s place and returns true, or returns false.
    virtual bool issue(unsigned scheduler, Cycle now) = 0;
    /// Least cycle > `now` in which it would issue if nothing else happens; kNever when none.
    virtual Cycle next_issue(Cycle now) const = 0;
};

}  // namespace lookahead::gpu
