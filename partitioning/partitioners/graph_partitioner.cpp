#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

// scotch.h needs FILE and the integer types, which the headers above declare.
#include <scotch.h>

#include "core/error/error.h"
#include "partitioning/partitioners/partitioners.h"

namespace lookahead {
namespace {

/// Scotch takes integers: the greatest weight becomes this number, and no weight becomes less than 1.
constexpr double kGreatestWeight = 10'000;
constexpr double kAllowedImbalance = 0.03;

SCOTCH_Num to_weight(double value, double greatest) {
    return greatest > 0
               ? std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::lround(value / greatest * kGreatestWeight)))
               : 1;
}

/// Cutting a short channel shortens all windows, so its traffic counts for more.
double cost_of_cut(const PartitionGraph::Neighbour& edge, Time longest) {
    return edge.traffic * (static_cast<double>(longest) / static_cast<double>(edge.lookahead));
}

struct ScotchGraph {
    std::vector<SCOTCH_Num> first, neighbours, work, cost;

    explicit ScotchGraph(const PartitionGraph& graph) {
        Time longest = 1;
        for (const auto& edge : graph.neighbours) { longest = std::max(longest, edge.lookahead); }
        double greatest_cost = 0;
        for (const auto& edge : graph.neighbours) {
            greatest_cost = std::max(greatest_cost, cost_of_cut(edge, longest));
        }
        const double greatest_work = *std::max_element(graph.work.begin(), graph.work.end());
        first.assign(graph.first.begin(), graph.first.end());
        for (const auto& edge : graph.neighbours) {
            neighbours.push_back(static_cast<SCOTCH_Num>(edge.lp));
            cost.push_back(to_weight(cost_of_cut(edge, longest), greatest_cost));
        }
        for (const double each : graph.work) { work.push_back(to_weight(each, greatest_work)); }
    }
};

}  // namespace

std::vector<int> partition_graph(const PartitionGraph& graph, int ranks) {
    if (ranks == 1 || graph.vertices() == 0) { return std::vector<int>(graph.vertices(), 0); }
    const ScotchGraph arrays(graph);
    // A context of one thread: by default Scotch takes all cores and finds different parts each time on large graphs.
    // All ranks must find the same parts.
    const std::unique_ptr<SCOTCH_Context, void (*)(SCOTCH_Context*)> context(SCOTCH_contextAlloc(), [](auto* c) {
        SCOTCH_contextExit(c);
        SCOTCH_memFree(c);
    });
    const auto end_graph = [](SCOTCH_Graph* g) {
        SCOTCH_graphExit(g);
        SCOTCH_memFree(g);
    };
    const std::unique_ptr<SCOTCH_Graph, void (*)(SCOTCH_Graph*)> scotch(SCOTCH_graphAlloc(), end_graph);
    const std::unique_ptr<SCOTCH_Graph, void (*)(SCOTCH_Graph*)> bound(SCOTCH_graphAlloc(), end_graph);
    const std::unique_ptr<SCOTCH_Strat, void (*)(SCOTCH_Strat*)> strategy(SCOTCH_stratAlloc(), [](SCOTCH_Strat* s) {
        SCOTCH_stratExit(s);
        SCOTCH_memFree(s);
    });
    SCOTCH_randomSeed(1);
    SCOTCH_randomReset();
    SCOTCH_contextInit(context.get());
    SCOTCH_graphInit(scotch.get());
    SCOTCH_graphInit(bound.get());
    SCOTCH_stratInit(strategy.get());
    std::vector<SCOTCH_Num> parts(graph.vertices(), 0);
    const int failed =
        SCOTCH_contextThreadSpawn(context.get(), 1, nullptr) ||
        SCOTCH_graphBuild(scotch.get(), 0, static_cast<SCOTCH_Num>(graph.vertices()), arrays.first.data(), nullptr,
                          arrays.work.data(), nullptr, static_cast<SCOTCH_Num>(arrays.neighbours.size()),
                          arrays.neighbours.data(), arrays.cost.data()) ||
        SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE, ranks,
                                  kAllowedImbalance) ||
        SCOTCH_contextBindGraph(context.get(), scotch.get(), bound.get()) ||
        SCOTCH_graphPart(bound.get(), ranks, strategy.get(), parts.data());
    LOOKAHEAD_ASSERT(failed == 0, "Scotch could not partition the model");
    return {parts.begin(), parts.end()};
}

}  // namespace lookahead
