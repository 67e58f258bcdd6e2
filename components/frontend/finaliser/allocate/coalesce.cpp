#include "components/frontend/finaliser/allocate/coalesce.h"

namespace lookahead::finaliser {

namespace {

class Coalescer {
  public:
    Coalescer(const VirtualKernel& kernel, std::vector<RangeSet>& ranges)
        : kernel_(kernel), ranges_(ranges), parent_(kernel.groups.size()) {
        for (std::uint32_t group = 0; group < parent_.size(); ++group) { parent_[group] = {group, 0}; }
    }

    void visit(const VirtualInstruction& copy) {
        const std::uint32_t from = copy.source[0].index;
        const std::uint32_t to = copy.destination;
        const Merged source = find(kernel_.group_of[from]);
        const Merged destination = find(kernel_.group_of[to]);
        if (source.group == destination.group) { return; }
        const auto row_in = [&](std::uint32_t row, Merged merged) {
            return static_cast<std::int64_t>(merged.offset) + row - kernel_.groups[kernel_.group_of[row]].first;
        };
        // Offset of the destination's holder in the source's at which both rows of the copy coincide.
        const std::int64_t distance = row_in(from, source) - row_in(to, destination);
        if (!try_merge(destination.group, source.group, distance)) {
            try_merge(source.group, destination.group, -distance);
        }
    }

    std::vector<Merged> result() {
        std::vector<Merged> all(parent_.size());
        for (std::uint32_t group = 0; group < all.size(); ++group) { all[group] = find(group); }
        return all;
    }

  private:
    Merged find(std::uint32_t group) {
        const Merged up = parent_[group];
        if (up.group == group) { return up; }
        const Merged top = find(up.group);
        parent_[group] = {top.group, top.offset + up.offset};
        return parent_[group];
    }

    bool try_merge(std::uint32_t inner, std::uint32_t outer, std::int64_t offset) {
        const RowGroup& small = kernel_.groups[inner];
        const RowGroup& large = kernel_.groups[outer];
        if (offset < 0 || offset + small.rows > large.rows || offset % small.alignment != 0) { return false; }
        const auto first = large.first + static_cast<std::uint32_t>(offset);
        for (std::uint32_t i = 0; i < small.rows; ++i) {
            if (ranges_[small.first + i].overlaps(ranges_[first + i])) { return false; }
        }
        for (std::uint32_t i = 0; i < small.rows; ++i) { ranges_[first + i].unite(ranges_[small.first + i]); }
        parent_[inner] = {outer, static_cast<std::uint32_t>(offset)};
        return true;
    }

    const VirtualKernel& kernel_;
    std::vector<RangeSet>& ranges_;
    std::vector<Merged> parent_;
};

}  // namespace

std::vector<Merged> coalesce_copies(const VirtualKernel& kernel, std::vector<RangeSet>& ranges) {
    Coalescer coalescer(kernel, ranges);
    for_each_instruction(kernel, [&coalescer](const VirtualInstruction& instruction) {
        if (is_copy(instruction) && instruction.source[0].kind == isa::Operand::Kind::reg) {
            coalescer.visit(instruction);
        }
    });
    return coalescer.result();
}

}  // namespace lookahead::finaliser
