#include "partitioning/partitioners/partition.h"

#include <algorithm>

#include "core/component/option_table.h"
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

const OptionTable<Partitioner> kPartitioners(
    {"partition", "The rank of each logical process; a file can also give it.", "--partition"}, "partitioner",
    {
        {"linear", "Runs of consecutive logical processes of about equal work.", "", partition_linear},
        {"round_robin", "Logical process i on rank i modulo the number of ranks.", "", partition_round_robin},
        {"by_kind", "The same number of logical processes of each kind on every rank, with balanced work.",
         "longest first: Graham, SIAM Journal on Applied Mathematics 1969", partition_by_kind},
        {"graph", "Balanced work and little traffic over short channels between ranks.",
         "Pellegrini and Roman, Scotch, HPCN Europe 1996", partition_graph},
    });

/// Gives every empty rank the LP with the least work of the rank with the most LPs.
void fill_empty_ranks(const PartitionGraph& graph, int ranks, std::vector<int>& rank_of_lp) {
    if (graph.vertices() < static_cast<std::size_t>(ranks)) { return; }
    std::vector<std::size_t> lps(static_cast<std::size_t>(ranks), 0);
    for (const int rank : rank_of_lp) { ++lps[static_cast<std::size_t>(rank)]; }
    for (int empty = 0; empty < ranks; ++empty) {
        if (lps[static_cast<std::size_t>(empty)] > 0) { continue; }
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

}  // namespace

std::vector<int> partition(const Model& model, int ranks, const std::string& name_or_file,
                           std::span<const double> measured_work) {
    LOOKAHEAD_ASSERT(ranks >= 1, "a partition needs at least one rank");
    if (name_or_file.find_first_of("/.") != std::string::npos) {
        return partition_from_file(model, ranks, name_or_file);
    }
    const PartitionGraph graph = make_partition_graph(model, measured_work);
    std::vector<int> rank_of_lp = kPartitioners.find(name_or_file, ", and files (PATH/FILE)").partition(graph, ranks);
    fill_empty_ranks(graph, ranks, rank_of_lp);
    return rank_of_lp;
}

}  // namespace lookahead
