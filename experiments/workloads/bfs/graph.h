#pragma once

#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::bfs {

/// A directed graph in compressed sparse rows; every node has 1 to 11 uniformly random successors (6 on average).
struct Graph {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
};

inline Graph random_graph(std::int64_t nodes, std::uint32_t seed) {
    XorShift32 random(seed);
    Graph graph;
    graph.row.reserve(nodes + 1);
    graph.row.push_back(0);
    for (std::int64_t node = 0; node < nodes; ++node) {
        const std::uint32_t degree = 1 + random.next() % 11;
        for (std::uint32_t edge = 0; edge < degree; ++edge) {
            graph.column.push_back(s32((random.next() >> 4) % nodes));
        }
        graph.row.push_back(s32(graph.column.size()));
    }
    return graph;
}

/// The number of edges of a shortest path from node 0 to each node; -1 if there is none.
inline std::vector<std::int32_t> distances(const Graph& graph) {
    std::vector<std::int32_t> distance(graph.row.size() - 1, -1);
    std::vector<std::int32_t> reached{0};
    distance[0] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const std::int32_t node = reached[next];
        for (std::int32_t edge = graph.row[node]; edge < graph.row[node + 1]; ++edge) {
            const std::int32_t successor = graph.column[edge];
            if (distance[successor] < 0) {
                distance[successor] = distance[node] + 1;
                reached.push_back(successor);
            }
        }
    }
    return distance;
}

}  // namespace lookahead::workloads::bfs
