#include "components/frontend/finaliser/analysis/live_ranges.h"

#include <algorithm>

#include "components/frontend/finaliser/analysis/liveness.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// Builds the ranges in a walk from the kernel's end to its start.
class LiveRangesBuilder {
  public:
    explicit LiveRangesBuilder(const VirtualKernel& kernel)
        : kernel_(kernel), ranges_(unit_count(kernel)), end_(unit_count(kernel), 0) {}

    std::vector<RangeSet> run() {
        const Liveness liveness(kernel_);
        std::uint32_t last = 0;
        for (const VirtualBlock& block : kernel_.blocks) { last += static_cast<std::uint32_t>(block.code.size()); }
        for (std::size_t block = kernel_.blocks.size(); block-- > 0;) {
            const auto& code = kernel_.blocks[block].code;
            const std::uint32_t first = last - static_cast<std::uint32_t>(code.size());
            liveness.for_each_out(block, [&](std::uint32_t unit) { end_[unit] = 2 * last; });
            for (std::uint32_t i = last; i-- > first;) { visit(code[i - first], i); }
            liveness.for_each_in(block, [&](std::uint32_t unit) { close(unit, 2 * first); });
            last = first;
        }
        for (RangeSet& set : ranges_) { set.finish(); }
        return std::move(ranges_);
    }

  private:
    bool is_live(std::uint32_t unit) const { return end_[unit] != 0; }

    void close(std::uint32_t unit, std::uint32_t start) {
        if (start < end_[unit]) { ranges_[unit].prepend({start, end_[unit]}); }
        end_[unit] = 0;
    }

    void visit(const VirtualInstruction& instruction, std::uint32_t i) {
        for_each_write(kernel_, instruction, [&](std::uint32_t unit) {
            if (!is_live(unit)) {
                ranges_[unit].prepend({2 * i + 1, 2 * i + 2});
            } else if (!instruction.guarded()) {
                close(unit, 2 * i + 1);
            }
        });
        for_each_read(kernel_, instruction, [&](std::uint32_t unit) {
            if (!is_live(unit)) { end_[unit] = 2 * i + 1; }
        });
    }

    const VirtualKernel& kernel_;
    std::vector<RangeSet> ranges_;
    std::vector<std::uint32_t> end_;  ///< of the range being built; 0: not live
};

}  // namespace

void RangeSet::prepend(LiveRange range) {
    if (!ranges_.empty() && range.end >= ranges_.back().start) {
        ranges_.back().start = std::min(range.start, ranges_.back().start);
    } else {
        ranges_.push_back(range);
    }
}

void RangeSet::finish() {
    std::ranges::reverse(ranges_);
}

bool RangeSet::overlaps(const RangeSet& other) const {
    if (empty() || other.empty()) { return false; }
    // Most often one begins after the other's end, or in its last range.
    const LiveRange &last = ranges_.back(), &other_last = other.ranges_.back();
    if (other.start() >= last.end || start() >= other_last.end) { return false; }
    if (other.start() >= last.start || start() >= other_last.start) { return true; }
    const RangeSet& few = ranges_.size() < other.ranges_.size() ? *this : other;
    const RangeSet& many = ranges_.size() < other.ranges_.size() ? other : *this;
    for (const LiveRange& range : few.ranges_) {
        const auto next = std::ranges::upper_bound(many.ranges_, range.start, {}, &LiveRange::end);
        if (next != many.ranges_.end() && next->start < range.end) { return true; }
    }
    return false;
}

void RangeSet::unite(const RangeSet& other) {
    if (other.empty()) { return; }
    if (empty() || ranges_.back().end < other.start()) {
        ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
        return;
    }
    std::vector<LiveRange> merged;
    merged.reserve(ranges_.size() + other.ranges_.size());
    std::ranges::merge(ranges_, other.ranges_, std::back_inserter(merged), {}, &LiveRange::start, &LiveRange::start);
    ranges_.clear();
    for (const LiveRange& range : merged) {
        LOOKAHEAD_ASSERT(ranges_.empty() || ranges_.back().end <= range.start, "live ranges must not overlap");
        if (!ranges_.empty() && ranges_.back().end == range.start) {
            ranges_.back().end = range.end;
        } else {
            ranges_.push_back(range);
        }
    }
}

std::vector<RangeSet> live_ranges_of(const VirtualKernel& kernel) {
    return LiveRangesBuilder(kernel).run();
}

}  // namespace lookahead::finaliser
