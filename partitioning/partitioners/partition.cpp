#include "partitioning/partitioners/partition.h"

#include <algorithm>
#include <array>

#include "core/component/catalogue.h"
#include "core/error/error.h"
#include "partitioning/partitioners/partitioners.h"

namespace lookahead {
namespace {

struct Partitioner {
    std::string_view name;
    std::string_view description;
    std::string_view source;
    std::vector<int> (*partition)(const PartitionGraph&, int ranks);
};

constexpr std::array kPartitioners{
    Partitioner{"linear", "Runs of consecutive logical processes of about equal work.", "", partition_linear},
    Partitioner{"round_robin", "Logical process i on rank i modulo the number of ranks.", "", partition_round_robin},
    Partitioner{"graph", "Balanced work and little traffic over short channels between ranks.",
                "Pellegrini and Roman, Scotch, HPCN Europe 1996", partition_graph},
};

[[maybe_unused]] const bool partitioners_listed = [] {
    add_slot({"partition", "Which rank each logical process stands on; a file may say it, too.", "--partition"});
    for (const Partitioner& partitioner : kPartitioners) {
        add_variant({"partition", std::string(partitioner.name), std::string(partitioner.description),
                     std::string(partitioner.source)});
    }
    return true;
}();

/// Gives every empty rank the LP with the least work of the rank with the most LPs.
void fill_empty_ranks(const PartitionGraph& graph, int ranks, std::vector<int>& rank_of_lp) {
    if (graph.vertices() < static_cast<std::size_t>(ranks)) {
        return;
    }
    std::vector<std::size_t> lps(static_cast<std::size_t>(ranks), 0);
    for (const int rank : rank_of_lp) {
        ++lps[static_cast<std::size_t>(rank)];
    }
    for (int empty = 0; empty < ranks; ++empty) {
        if (lps[static_cast<std::size_t>(empty)] > 0) {
            continue;
        }
        const auto fullest = static_cast<int>(std::max_element(lps.begin(), lps.end()) - lps.begin());
        std::size_t lightest = graph.vertices();
        for (std::size_t lp = 0; lp < graph.vertices(); ++lp) {
            if (rank_of_lp[lp] == fullest && (lightest == graph.vertices() || graph.work[lp] < graph.work[lightest])) {
                lightest = lp;
            }
        }
        rank_of_lp[lightest] = empty;
        --lps[static_cast<std::size_t>(fullest)];
        ++lps[static_cast<std::size_t>(empty)];
    }
}

std::vector<int> partition_by_name(const PartitionGraph& graph, int ranks, const std::string& name) {
    const auto* const found = std::ranges::find(kPartitioners, name, &Partitioner::name);
    if (found != kPartitioners.end()) {
        return found->partition(graph, ranks);
    }
    std::string names;
    for (const Partitioner& partitioner : kPartitioners) {
        names += std::string(partitioner.name) + ", ";
    }
    throw ConfigurationError("unknown partitioner " + name + "; there are " + names + "and files (PATH/FILE)");
}

}  // namespace

std::vector<int> partition(const Model& model, int ranks, const std::string& name_or_file,
                           std::span<const double> measured_work) {
    LOOKAHEAD_ASSERT(ranks >= 1, "a partition needs at least one rank");
    if (name_or_file.find_first_of("/.") != std::string::npos) {
        return partition_from_file(model, ranks, name_or_file);
    }
    const PartitionGraph graph = make_partition_graph(model, measured_work);
    std::vector<int> rank_of_lp = partition_by_name(graph, ranks, name_or_file);
    fill_empty_ranks(graph, ranks, rank_of_lp);
    return rank_of_lp;
}

}  // namespace lookahead
