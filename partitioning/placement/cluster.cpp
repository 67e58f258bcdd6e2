#include "partitioning/placement/cluster.h"

#include <bit>

#include "core/error/error.h"

namespace lookahead {

std::vector<double> LoggedWindows::work() const {
    std::vector<double> work(processes, 0);
    for (std::size_t at = 0; at < nanoseconds.size(); ++at) { work[at % processes] += nanoseconds[at] * kNanosecond; }
    return work;
}

void LoggedWindows::check(std::size_t lps) const {
    LOOKAHEAD_ASSERT(processes == lps && messages.size() == lps * lps && nanoseconds.size() == windows() * lps &&
                         (begins_epoch.empty() || begins_epoch.size() == windows()),
                     "a log of windows does not fit the partition");
}

double Cluster::way(std::size_t from, std::size_t to, double bytes) const {
    const auto all = static_cast<std::size_t>(ranks);
    const std::size_t a_node = (all + static_cast<std::size_t>(nodes) - 1) / static_cast<std::size_t>(nodes);
    return from / a_node == to / a_node
               ? local_latency_us * kMicrosecond
               : latency_us * kMicrosecond + bytes * static_cast<double>(a_node) / (gigabytes_per_s * kGigabyte);
}

double Cluster::all_gather() const {
    const auto rounds = [](int of) { return static_cast<double>(std::bit_width(static_cast<unsigned>(of - 1))); };
    const double between = rounds(nodes);
    const double all = rounds(ranks);
    return (between * latency_us + (all - between) * local_latency_us + all * 2 * packet_us) * kMicrosecond;
}

}  // namespace lookahead
