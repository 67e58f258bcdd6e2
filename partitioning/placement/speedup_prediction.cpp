#include "partitioning/placement/speedup_prediction.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/error/error.h"

namespace lookahead {

namespace {

constexpr double kNanosecond = 1e-9;

void add_windows(const LoggedWindows& log, std::span<const int> rank_of_lp, SpeedupPrediction& prediction) {
    std::vector<std::uint64_t> window(static_cast<std::size_t>(prediction.ranks));
    std::vector<std::uint64_t> total(window.size());
    std::uint64_t critical = 0;
    for (std::size_t w = 0; w < log.windows(); ++w) {
        std::fill(window.begin(), window.end(), 0);
        for (std::size_t lp = 0; lp < log.processes; ++lp) {
            window[static_cast<std::size_t>(rank_of_lp[lp])] += log.nanoseconds[w * log.processes + lp];
        }
        critical += *std::max_element(window.begin(), window.end());
        for (std::size_t rank = 0; rank < window.size(); ++rank) {
            total[rank] += window[rank];
        }
    }
    std::uint64_t all = 0;
    for (const std::uint64_t load : total) {
        all += load;
    }
    prediction.windows = log.windows();
    prediction.one_rank_seconds = static_cast<double>(all) * kNanosecond;
    prediction.critical_path_seconds = static_cast<double>(critical) * kNanosecond;
    prediction.greatest_load_seconds = static_cast<double>(*std::max_element(total.begin(), total.end())) * kNanosecond;
}

/// Messages to and from other ranks, of the rank that has most.
std::uint64_t most_remote_messages(const LoggedWindows& log, std::span<const int> rank_of_lp, int ranks) {
    std::vector<std::uint64_t> remote(static_cast<std::size_t>(ranks));
    for (std::size_t sender = 0; sender < log.processes; ++sender) {
        for (std::size_t receiver = 0; receiver < log.processes; ++receiver) {
            if (rank_of_lp[sender] != rank_of_lp[receiver]) {
                const std::uint64_t messages = log.messages[sender * log.processes + receiver];
                remote[static_cast<std::size_t>(rank_of_lp[sender])] += messages;
                remote[static_cast<std::size_t>(rank_of_lp[receiver])] += messages;
            }
        }
    }
    return *std::max_element(remote.begin(), remote.end());
}

}  // namespace

SpeedupPrediction predict_speedup(const LoggedWindows& log, std::span<const int> rank_of_lp, int ranks,
                                  const SynchronisationCost& cost) {
    LOOKAHEAD_ASSERT(log.processes == rank_of_lp.size() && log.messages.size() == log.processes * log.processes &&
                         log.nanoseconds.size() == log.windows() * log.processes,
                     "a log of windows does not fit the partition");
    SpeedupPrediction prediction;
    prediction.ranks = ranks;
    add_windows(log, rank_of_lp, prediction);
    prediction.synchronisation_seconds = static_cast<double>(prediction.windows) * (ranks - 1) * cost.window_seconds;
    prediction.message_seconds =
        static_cast<double>(most_remote_messages(log, rank_of_lp, ranks)) * cost.message_seconds;
    return prediction;
}

std::string SpeedupPrediction::text(const SynchronisationCost& cost) const {
    char text[1024];
    std::snprintf(
        text, sizeof text,
        "predicted time = critical path + windows x (ranks - 1) x window cost + remote messages x message cost\n"
        "  ranks %d, windows %zu, window cost %.3f us, message cost %.1f ns\n"
        "  one rank            %10.4f s  (CPU time of all processes)\n"
        "  critical path       %10.4f s  (slowest rank of each window; busiest rank in all %.4f s)\n"
        "  synchronisation     %10.4f s\n"
        "  remote messages     %10.4f s  (of the rank that has most)\n"
        "  predicted           %10.4f s, speed-up %.2f\n",
        ranks, windows, cost.window_seconds * 1e6, cost.message_seconds * 1e9, one_rank_seconds, critical_path_seconds,
        greatest_load_seconds, synchronisation_seconds, message_seconds, seconds(), speedup());
    return text;
}

}  // namespace lookahead
