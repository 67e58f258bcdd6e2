#include "components/interconnect/mesh/mesh_layout.h"

#include <cstdlib>

namespace lookahead::gpu {

MeshLayout::MeshLayout(unsigned sms, unsigned slices, unsigned given_columns) : columns(given_columns), rows(0) {
    const unsigned tiles = sms + slices;
    if (columns == 0) {
        for (columns = 1; columns * columns < tiles;) { ++columns; }
    }
    rows = (tiles + columns - 1) / columns;
    for (unsigned tile = 0; tile < tiles; ++tile) {
        const bool is_slice = (tile + 1) * slices / tiles > tile * slices / tiles;
        (is_slice ? slice_tiles : sm_tiles).push_back(static_cast<std::uint16_t>(tile));
    }
}

unsigned MeshLayout::hops(std::uint16_t from, std::uint16_t to) const {
    const auto width = static_cast<int>(columns);
    return static_cast<unsigned>(std::abs(from % width - to % width) + std::abs(from / width - to / width));
}

}  // namespace lookahead::gpu
