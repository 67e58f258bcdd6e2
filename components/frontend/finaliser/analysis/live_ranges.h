#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Positions [start, end) in the kernel's linear order. Instruction i reads at 2i and writes at 2i + 1, so that a
/// result may take the register of a source that dies there.
struct LiveRange {
    std::uint32_t start = 0;
    std::uint32_t end = 0;

    friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

/// Disjoint ranges in ascending order, with holes: the life of one value, or of all values of one register.
class RangeSet {
  public:
    bool empty() const { return ranges_.empty(); }
    std::uint32_t start() const { return ranges_.front().start; }
    const std::vector<LiveRange>& ranges() const { return ranges_; }

    /// Adds a range that ends before all others begin, or touches the first.
    void prepend(LiveRange range);
    /// Call it after the last `prepend`; until then the order is descending.
    void finish();

    bool overlaps(const RangeSet& other) const;
    /// Adds the ranges of `other`, which must not overlap these.
    void unite(const RangeSet& other);

  private:
    std::vector<LiveRange> ranges_;
};

/// The ranges of every unit (row or predicate). An unread result lives for the moment of its write.
std::vector<RangeSet> live_ranges_of(const VirtualKernel& kernel);

}  // namespace lookahead::finaliser
