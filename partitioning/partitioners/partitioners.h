#pragma once

#include <string>
#include <vector>

#include "partitioning/graph/partition_graph.h"

namespace lookahead {

/// Runs of consecutive LPs of about equal work.
std::vector<int> partition_linear(const PartitionGraph&, int ranks);

/// LP i on rank i modulo the ranks: LPs of one kind spread evenly.
std::vector<int> partition_round_robin(const PartitionGraph&, int ranks);

/// Each rank has as many LPs of a kind as any other, give or take one, with the work of all kinds balanced. LPs of a kind have
/// much or little to do at the same time: so ranks are balanced in each window, not over the whole run alone. For machines in
/// which all speak to all, so that there is nothing to cut.
std::vector<int> partition_by_kind(const PartitionGraph&, int ranks);

/// Scotch: balanced work, and little traffic over short channels between ranks.
std::vector<int> partition_graph(const PartitionGraph&, int ranks);

/// Read from a file with a line "NAME RANK" for each LP; # begins a comment.
std::vector<int> partition_from_file(const Model&, int ranks, const std::string& file);

}  // namespace lookahead
