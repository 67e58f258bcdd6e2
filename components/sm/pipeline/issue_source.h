#pragma once

#include "core/time/time.h"

namespace lookahead::gpu {

/// Something besides the warps' own streams that may issue through a scheduler. Sources have a fixed priority: a
/// scheduler whose warps issue nothing in a cycle asks them in the order in which they were added.
class IssueSource {
  public:
    virtual ~IssueSource() = default;
    /// Issues an instruction in `scheduler`'s place and returns true, or returns false.
    virtual bool issue(unsigned scheduler, Cycle now) = 0;
    /// Least cycle > `now` in which it would issue if nothing else happens; kNever when none.
    virtual Cycle next_issue(Cycle now) const = 0;
};

}  // namespace lookahead::gpu
