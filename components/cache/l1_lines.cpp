#include "components/cache/l1_lines.h"

#include <utility>

namespace lookahead::gpu {

unsigned L1Lines::lines_held(unsigned set) const {
    unsigned held = 0;
    for (unsigned way = 0; way < ways(); ++way) { held += holds_bytes(set * ways() + way); }
    return held;
}

SectorMask L1Lines::lacking(std::uint32_t way, SectorMask sectors, const ByteMask& stored) const {
    const ByteMask held = way == kNoWay ? stored : stored | dirty_[way];
    SectorMask lacking = 0;
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        const auto bit = static_cast<SectorMask>(left & -left);
        lacking |= without(bytes_of(bit), held).any() ? bit : SectorMask{0};
    }
    return sectored_ || lacking == 0 ? lacking : kAllSectors;
}

unsigned L1Lines::write_dirty(std::uint32_t way, const ByteMask& mask, const std::byte* line) {
    copy_bytes(lines_[way].bytes, line, mask);
    const unsigned added = bytes_in(without(mask, dirty_[way]));
    dirty_[way] = dirty_[way] | mask;
    info(way).dirty = true;
    info(way).valid |= static_cast<SectorMask>(kAllSectors & ~lacking(way, kAllSectors, {}));
    return added;
}

unsigned L1Lines::forget_dirty(std::uint32_t way) {
    info(way).dirty = false;
    return bytes_in(std::exchange(dirty_[way], {}));
}

std::uint64_t L1Lines::dirty_bytes() const {
    std::uint64_t count = 0;
    for (const ByteMask& each : dirty_) { count += bytes_in(each); }
    return count;
}

void L1Lines::fields(StateArchive& archive) {
    TagArray::fields(archive);
    for (Line& each : lines_) { archive.plain(each); }
    for (ByteMask& each : dirty_) { archive.plain(each); }
}

}  // namespace lookahead::gpu
