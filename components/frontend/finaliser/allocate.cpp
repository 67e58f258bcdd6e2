#include "components/frontend/finaliser/allocate.h"

#include <algorithm>
#include <span>

#include "components/frontend/finaliser/coalesce.h"
#include "components/frontend/finaliser/live_ranges.h"

namespace lookahead::finaliser {

namespace {

/// What lives in each register of one file.
class RegisterFile {
  public:
    /// The lowest aligned place where every range of `wanted` is free; taken from now on.
    std::uint32_t take(std::span<const RangeSet> wanted, std::uint32_t alignment) {
        std::uint32_t base = 0;
        while (!is_free(base, wanted)) base += alignment;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i].empty()) continue;
            if (base + i >= taken_.size()) taken_.resize(base + i + 1);
            taken_[base + i].unite(wanted[i]);
        }
        return base;
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(taken_.size()); }

  private:
    bool is_free(std::uint32_t base, std::span<const RangeSet> wanted) const {
        for (std::size_t i = 0; i < wanted.size() && base + i < taken_.size(); ++i)
            if (taken_[base + i].overlaps(wanted[i])) return false;
        return true;
    }

    std::vector<RangeSet> taken_;
};

/// When the first row of a group begins to live; kNone if none ever does.
std::uint32_t start_of(std::span<const RangeSet> rows) {
    std::uint32_t start = kNone;
    for (const RangeSet& set : rows)
        if (!set.empty()) start = std::min(start, set.start());
    return start;
}

void allocate_rows(const VirtualKernel& kernel, std::vector<RangeSet> ranges, Allocation& result) {
    const std::vector<Merged> merged = coalesce_copies(kernel, ranges);
    struct Entry {
        std::uint32_t start;
        std::uint32_t group;
    };
    std::vector<Entry> order;
    const auto rows_of_group = [&](std::uint32_t group) {
        return std::span<const RangeSet>(ranges).subspan(kernel.groups[group].first, kernel.groups[group].rows);
    };
    for (std::uint32_t group = 0; group < merged.size(); ++group)
        if (const std::uint32_t start = start_of(rows_of_group(group)); merged[group].group == group && start != kNone)
            order.push_back({start, group});
    std::ranges::stable_sort(order, {}, &Entry::start);

    RegisterFile file;
    std::vector<std::uint32_t> base(merged.size(), 0);
    for (const Entry& entry : order)
        base[entry.group] = file.take(rows_of_group(entry.group), kernel.groups[entry.group].alignment);
    result.register_of.resize(kernel.rows());
    for (std::uint32_t row = 0; row < kernel.rows(); ++row) {
        const std::uint32_t group = kernel.group_of[row];
        result.register_of[row] = base[merged[group].group] + merged[group].offset + row - kernel.groups[group].first;
    }
    result.registers = file.size();
}

void allocate_predicates(const VirtualKernel& kernel, std::span<const RangeSet> ranges, Allocation& result) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t predicate = 0; predicate < ranges.size(); ++predicate)
        if (!ranges[predicate].empty()) order.push_back(predicate);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t predicate) { return ranges[predicate].start(); });
    RegisterFile file;
    result.predicate_of.resize(kernel.predicates);
    for (std::uint32_t predicate : order) result.predicate_of[predicate] = file.take(ranges.subspan(predicate, 1), 1);
    result.predicates = file.size();
}

}  // namespace

Allocation allocate(const VirtualKernel& kernel) {
    std::vector<RangeSet> ranges = live_ranges_of(kernel);
    Allocation result;
    allocate_predicates(kernel, std::span<const RangeSet>(ranges).subspan(kernel.rows()), result);
    ranges.resize(kernel.rows());
    allocate_rows(kernel, std::move(ranges), result);
    return result;
}

}  // namespace lookahead::finaliser
