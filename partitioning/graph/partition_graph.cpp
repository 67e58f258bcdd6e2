#include "partitioning/graph/partition_graph.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "core/error/error.h"

namespace lookahead {
namespace {

struct HalfEdge {
    LpId from;
    LpId to;
    double traffic;
    Time lookahead;
};

/// Both directions of every channel, sorted; channels from an LP to itself are left out.
std::vector<HalfEdge> half_edges(const Model& model) {
    std::vector<HalfEdge> edges;
    for (const ChannelDescription& channel : model.channels()) {
        for (LpId to = channel.to; to < channel.to + channel.count; ++to) {
            if (to != channel.from) {
                edges.push_back({channel.from, to, channel.traffic, channel.lookahead});
                edges.push_back({to, channel.from, channel.traffic, channel.lookahead});
            }
        }
    }
    std::stable_sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
        return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
    return edges;
}

}  // namespace

PartitionGraph make_partition_graph(const Model& model, std::span<const double> measured_work) {
    PartitionGraph graph;
    std::vector<std::string> kinds;
    for (const LpDescription& process : model.processes()) {
        graph.work.push_back(process.work);
        const auto found = std::ranges::find(kinds, process.kind);
        graph.kind.push_back(static_cast<std::uint32_t>(found - kinds.begin()));
        if (found == kinds.end()) { kinds.push_back(process.kind); }
    }
    if (!measured_work.empty()) {
        if (measured_work.size() != graph.work.size()) {
            throw InputError("the measured work covers {} logical processes, but the model has {}",
                             measured_work.size(), graph.work.size());
        }
        graph.work.assign(measured_work.begin(), measured_work.end());
    }
    graph.first.assign(graph.work.size() + 1, 0);
    LpId last_from = 0;
    for (const HalfEdge& edge : half_edges(model)) {
        const bool same_pair =
            !graph.neighbours.empty() && last_from == edge.from && graph.neighbours.back().lp == edge.to;
        if (same_pair) {
            graph.neighbours.back().traffic += edge.traffic;
            graph.neighbours.back().lookahead = std::min(graph.neighbours.back().lookahead, edge.lookahead);
        } else {
            graph.neighbours.push_back({edge.to, edge.traffic, edge.lookahead});
            ++graph.first[edge.from + 1];
        }
        last_from = edge.from;
    }
    for (std::size_t i = 1; i < graph.first.size(); ++i) { graph.first[i] += graph.first[i - 1]; }
    return graph;
}

}  // namespace lookahead
