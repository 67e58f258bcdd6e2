#pragma once

#include <cstdint>
#include <vector>

#include "components/protocols/launch.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The host's allocations in global memory. Demand accesses are checked against them; most lie in the same allocation
/// as the access before.
class AllocationMap {
  public:
    void update(const AllocationUpdate& update);

    /// Whether one allocation holds all of [begin, end), which must not be empty; false if the end wrapped around.
    bool contains(std::uint64_t begin, std::uint64_t end) const {
        if (begin >= last_.begin && end <= last_.end && begin < end) { return true; }
        return begin < end && search(begin, end);
    }

    void fields(StateArchive& archive) {
        archive& ranges_;
        last_ = {};
    }

  private:
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;

        void fields(StateArchive& archive) { archive& begin& end; }
    };

    bool search(std::uint64_t begin, std::uint64_t end) const;

    std::vector<Range> ranges_;  // ascending, disjoint
    mutable Range last_;         // result of the last search, as a short cut; no state
};

}  // namespace lookahead::gpu
