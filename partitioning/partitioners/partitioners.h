#pragma once

#include <string>
#include <vector>

#include "partitioning/graph/partition_graph.h"

namespace lookahead {

/// Runs of consecutive LPs of about equal work.
std::vector<int> partition_linear(const PartitionGraph&, int ranks);

/// LP i on rank i modulo the ranks: LPs of one kind spread evenly.
std::vector<int> partition_round_robin(const PartitionGraph&, int ranks);

/// Each rank has the same number of LPs of each kind, or one more, and the work of all kinds is balanced. LPs of a kind
/// are busy or idle at the same time, so ranks are balanced in each window, not only over the whole run. For machines
/// in which all LPs send to all, so that a small cut gains nothing.
std::vector<int> partition_by_kind(const PartitionGraph&, int ranks);

/// Scotch: balanced work, and little traffic over short channels between ranks.
std::vector<int> partition_graph(const PartitionGraph&, int ranks);

/// Reads the ranks from a file with a line "NAME RANK" for each LP; # begins a comment.
std::vector<int> partition_from_file(const Model&, int ranks, const std::string& file);

}  // namespace lookahead
