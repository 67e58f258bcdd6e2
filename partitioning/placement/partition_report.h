#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/lp/model.h"
#include "core/time/time.h"

namespace lookahead {

/// The predicted properties of a partition.
struct PartitionReport {
    int ranks = 0;
    std::vector<std::size_t> processes;  ///< by rank
    std::vector<double> load;            ///< work by rank
    double imbalance = 1;                ///< greatest load over mean load: from 1, the best, to the number of ranks
    double cut = 0;                      ///< traffic between ranks
    double traffic = 0;                  ///< all traffic between different LPs
    std::vector<Time> lookahead;         ///< [from * ranks + to]: shortest channel; kTimeInfinity: none

    Time lookahead_between(int from, int to) const {
        return lookahead[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) +
                         static_cast<std::size_t>(to)];
    }
    /// A text with a line per rank, imbalance, cut, and the lookahead matrix.
    std::string text() const;
};

PartitionReport report_partition(const Model&, std::span<const int> rank_of_lp, int ranks,
                                 std::span<const double> measured_work = {});

}  // namespace lookahead
