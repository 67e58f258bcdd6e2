#pragma once

#include <cstdint>
#include <vector>

namespace lookahead::gpu {

/// The places of SMs and slices: one on a tile, row by row, the slices spread evenly among the SMs.
struct MeshLayout {
    /// `columns` = 0: the least number whose square holds all.
    MeshLayout(unsigned sms, unsigned slices, unsigned columns);

    unsigned columns;
    unsigned rows;
    std::vector<std::uint16_t> sm_tiles;
    std::vector<std::uint16_t> slice_tiles;

    /// The number of links that a packet crosses on its path along the row and then the column.
    unsigned hops(std::uint16_t from, std::uint16_t to) const;
};

}  // namespace lookahead::gpu
