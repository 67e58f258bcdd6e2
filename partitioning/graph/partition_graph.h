#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/lp/model.h"

namespace lookahead {

/// A model's LPs as vertices with work, and its channels as undirected edges, in compressed rows: the neighbours of
/// vertex v are neighbours[first[v]] .. neighbours[first[v + 1] - 1].
struct PartitionGraph {
    struct Neighbour {
        LpId lp;
        double traffic;  ///< in both directions
        Time lookahead;  ///< of the shorter of the two directions
    };

    std::vector<double> work;
    std::vector<std::uint32_t> kind;  ///< number of the LP's kind (LpDescription::kind), from 0
    std::vector<std::size_t> first;
    std::vector<Neighbour> neighbours;

    std::size_t vertices() const { return work.size(); }
    std::span<const Neighbour> of(LpId lp) const {
        return std::span(neighbours).subspan(first[lp], first[lp + 1] - first[lp]);
    }
};

/// `measured_work` replaces the models' estimates if it is not empty; one entry per LP.
PartitionGraph make_partition_graph(const Model&, std::span<const double> measured_work = {});

}  // namespace lookahead
