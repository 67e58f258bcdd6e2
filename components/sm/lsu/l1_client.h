#pragma once

#include "core/time/time.h"

namespace lookahead::gpu {

class AllocationMap;
class L1Data;

/// Something beside the warps' instructions and the prefetcher that accesses L1, as an extension that asks for lines on
/// the warps' behalf (LoadStoreUnit::join). It makes one access in a cycle in which no instruction has made one: those
/// go first, and it goes before prefetches.
class L1Client {
  public:
    virtual ~L1Client() = default;
    /// Once, before the first cycle; both outlive the client's use.
    virtual void joined(L1Data& l1, const AllocationMap& allocations) = 0;
    virtual bool wants_access() const = 0;
    /// Makes one access of L1. False: L1 has no room; it is asked again when something has changed in the load/store
    /// unit.
    virtual bool access(Cycle now) = 0;
};

}  // namespace lookahead::gpu
