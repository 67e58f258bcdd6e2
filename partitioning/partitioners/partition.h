#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/lp/model.h"

namespace lookahead {

/// The default. All SMs send to all memory partitions, so a small cut gains little; ranks that are balanced in every
/// window gain much.
inline constexpr const char* kDefaultPartitioner = "by_kind";

/// The rank of each LP. `name_or_file` is the name of a partitioner, or a file (anything that holds a '/' or a '.')
/// with a line "NAME RANK" for each LP. No rank stays empty if there are at least as many LPs as ranks. Every rank that
/// calls it with the same arguments gets the same result. Throws ConfigurationError for an unknown name, and InputError
/// for a file that does not fit the model.
std::vector<int> partition(const Model&, int ranks, const std::string& name_or_file,
                           std::span<const double> measured_work = {});

}  // namespace lookahead
