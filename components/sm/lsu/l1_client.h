#pragma once

#include <string_view>

#include "core/time/time.h"

namespace lookahead::gpu {

class AllocationMap;
class L1Data;

/// A client of L1 besides the warps' instructions and the prefetcher, such as an extension that requests lines for
/// warps (LoadStoreUnit::join). In a cycle in which no instruction accesses L1, the client of the highest priority that
/// wants an access makes one; prefetches come after all clients.
class L1Client {
  public:
    virtual ~L1Client() = default;
    /// Names the client in messages: that of its mechanism.
    virtual std::string_view name() const = 0;
    /// No two clients of an L1 have the same.
    virtual int priority() const = 0;
    /// Called once, before the first cycle; both outlive the client's use.
    virtual void joined(L1Data& l1, const AllocationMap& allocations) = 0;
    /// Whether its accesses have a tag port of their own, so that they need no cycle without others.
    virtual bool has_own_port() const { return false; }
    virtual bool wants_access() const = 0;
    /// Makes one access to L1; false if L1 has no room. Called again after a change in the load/store unit.
    virtual bool access(Cycle now) = 0;
};

}  // namespace lookahead::gpu
