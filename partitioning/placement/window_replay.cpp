#include "partitioning/placement/window_replay.h"

#include <algorithm>
#include <numeric>

#include "core/error/error.h"
#include "core/sync/routes.h"
#include "core/sync/sync_protocol.h"

namespace lookahead {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr double kMicrosecond = 1e-6;
constexpr double kGigabyte = 1e9;

/// When each rank has the packets of the others.
class Exchange {
  public:
    explicit Exchange(const Cluster& cluster) : cluster_(cluster), ranks_(static_cast<std::size_t>(cluster.ranks)) {
        const bool in_rounds = cluster.ranks > find_sync_protocol("window").most_direct;
        for (int rank = 0; rank < cluster.ranks; ++rank) {
            routes_.emplace_back(rank, cluster.ranks, in_rounds);
        }
    }

    /// A rank's packets of one exchange.
    std::size_t packets() const { return routes_.front().batches(); }
    /// Those of its first round, which it sends before it waits for any.
    std::size_t first_packets() const { return in_rounds() ? std::min<std::size_t>(packets(), 1) : packets(); }

    /// sent[rank]: when the packets of the first round were sent, by all ranks; bytes[rank]: of them. `ready`: when each begins to wait;
    /// then, when it has them all.
    void receive(const std::vector<double>& sent, const std::vector<double>& bytes, std::vector<double>& ready) {
        arrived_ = ready;
        for (std::size_t packet = 0; packet < packets(); ++packet) {
            const bool is_first = packet < first_packets();
            departed_ = is_first ? sent : arrived_;
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                const auto from = static_cast<std::size_t>(routes_[rank].from(packet));
                const double sending = is_first ? 0 : packet_seconds();
                const double theirs = departed_[from] + sending + way(from, rank, bytes[from]);
                ready[rank] = std::max(arrived_[rank] + sending, theirs) + packet_seconds();
            }
            arrived_ = ready;
        }
    }

    double packet_seconds() const { return cluster_.packet_us * kMicrosecond; }

  private:
    bool in_rounds() const { return routes_.front().in_rounds(); }
    /// From one rank to another: a node's ranks share its link.
    double way(std::size_t from, std::size_t to, double bytes) const {
        const std::size_t a_node =
            (ranks_ + static_cast<std::size_t>(cluster_.nodes) - 1) / static_cast<std::size_t>(cluster_.nodes);
        return from / a_node == to / a_node
                   ? cluster_.local_latency_us * kMicrosecond
                   : cluster_.latency_us * kMicrosecond +
                         bytes * static_cast<double>(a_node) / (cluster_.gigabytes_per_s * kGigabyte);
    }

    const Cluster& cluster_;
    std::size_t ranks_;
    std::vector<Routes> routes_;
    std::vector<double> arrived_;
    std::vector<double> departed_;
};

}  // namespace

WindowReplay::WindowReplay(const LoggedWindows& log, std::span<const int> rank_of_lp, const Cluster& cluster)
    : log_(log), cluster_(cluster), ranks_(static_cast<std::size_t>(cluster.ranks)) {
    LOOKAHEAD_ASSERT(log.processes == rank_of_lp.size() && log.messages.size() == log.processes * log.processes &&
                         log.nanoseconds.size() == log.windows() * log.processes,
                     "a log of windows does not fit the partition");
    std::vector<double> work(log.processes, 0);
    for (std::size_t at = 0; at < log.nanoseconds.size(); ++at) {
        work[at % log.processes] += log.nanoseconds[at] * kNanosecond;
    }
    for (std::size_t lp = 0; lp < log.processes; ++lp) {
        Rank& rank = ranks_.at(static_cast<std::size_t>(rank_of_lp[lp]));
        rank.processes.push_back(static_cast<std::uint32_t>(lp));
        rank.work += work[lp];
    }
    for (Rank& rank : ranks_) {
        std::ranges::stable_sort(rank.processes, std::ranges::greater(), [&](std::uint32_t lp) { return work[lp]; });
    }
    work_ = std::reduce(work.begin(), work.end());
    count_messages(rank_of_lp);
}

void WindowReplay::count_messages(std::span<const int> rank_of_lp) {
    const std::size_t ranks = ranks_.size();
    std::vector<double> between(ranks * ranks, 0);
    for (std::size_t sender = 0; sender < log_.processes; ++sender) {
        for (std::size_t receiver = 0; receiver < log_.processes; ++receiver) {
            const auto from = static_cast<std::size_t>(rank_of_lp[sender]);
            const auto to = static_cast<std::size_t>(rank_of_lp[receiver]);
            between[from * ranks + to] += static_cast<double>(log_.messages[sender * log_.processes + receiver]);
        }
    }
    const bool in_rounds = cluster_.ranks > find_sync_protocol("window").most_direct;
    for (int from = 0; from < cluster_.ranks; ++from) {
        for (int to = 0; to < cluster_.ranks; ++to) {
            const double messages = between[static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to)];
            for (int at = from; at != to && messages > 0;) {
                const Routes routes(at, cluster_.ranks, in_rounds);
                const int next = routes.to(routes.batch_for(to));
                ranks_[static_cast<std::size_t>(at)].messages += messages;
                ranks_[static_cast<std::size_t>(next)].messages += messages;
                at = next;
            }
        }
    }
}

/// A thread that has nothing more to do takes the next LP, the one with most work in the whole run first.
double WindowReplay::on_threads(const Rank& rank, std::size_t window) const {
    std::vector<double> threads(static_cast<std::size_t>(cluster_.threads), 0);
    for (const std::uint32_t lp : rank.processes) {
        *std::ranges::min_element(threads) += log_.nanoseconds[window * log_.processes + lp] * kNanosecond;
    }
    return std::ranges::max(threads);
}

WindowReplay::Share WindowReplay::compute(const Rank& rank, std::size_t window) const {
    Share share;
    std::size_t busy = 0;
    for (const std::uint32_t lp : rank.processes) {
        const std::uint32_t nanoseconds = log_.nanoseconds[window * log_.processes + lp];
        share.work += nanoseconds * kNanosecond;
        busy += nanoseconds > 0;
    }
    share.is_busy = 2 * busy >= rank.processes.size();
    share.seconds = share.work * (cluster_.ranks > cluster_.nodes ? cluster_.slowdown : 1);
    if (cluster_.threads > 1 && busy > 1) {
        const double shared = on_threads(rank, window) * cluster_.slowdown + cluster_.share_us * kMicrosecond;
        share.is_shared = shared < share.seconds;
        share.seconds = std::min(shared, share.seconds);
    }
    return share;
}

double WindowReplay::critical_path() const {
    double path = 0;
    for (std::size_t window = 0; window < log_.windows(); ++window) {
        double slowest = 0;
        for (const Rank& rank : ranks_) {
            slowest = std::max(slowest, compute(rank, window).seconds);
        }
        path += slowest;
    }
    return path;
}

ReplayTimes WindowReplay::run(bool halves) const {
    const std::size_t ranks = ranks_.size();
    Exchange exchange(cluster_);
    ReplayTimes times;
    std::vector<Share> shares(ranks);
    std::vector<double> ready(ranks, 0);  // when a rank begins with its next step
    std::vector<double> sent(ranks, 0);   // when it sent the packets that the others wait for
    std::vector<double> bytes(ranks, 0);  // of each of them
    std::vector<double> compute(ranks, 0);
    std::vector<double> overhead(ranks, 0);
    bool is_ahead = false;
    const auto send = [&] {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            ready[rank] += static_cast<double>(exchange.first_packets()) * exchange.packet_seconds();
        }
        sent = ready;
        times.packets += exchange.packets();
    };
    for (std::size_t window = 0; window < log_.windows(); ++window) {
        bool all_busy = true;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            shares[rank] = this->compute(ranks_[rank], window);
            all_busy = all_busy && shares[rank].is_busy;
            times.shared_windows += shares[rank].is_shared;
        }
        const bool in_halves = halves && all_busy && ranks > 1;
        const int steps = in_halves ? 2 : 1;
        const double work = in_halves ? cluster_.half_work : 1;
        if (is_ahead && !in_halves) {
            exchange.receive(sent, bytes, ready);
            is_ahead = false;
        }
        for (int step = 0; step < steps; ++step) {
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                const Rank& of = ranks_[rank];
                const double part = of.work > 0 ? shares[rank].work / of.work / steps : 0;
                const double look = static_cast<double>(of.processes.size()) * cluster_.process_ns * kNanosecond;
                overhead[rank] += look;
                compute[rank] += shares[rank].seconds * work / steps;
                ready[rank] +=
                    shares[rank].seconds * work / steps + look + part * of.messages * cluster_.message_ns * kNanosecond;
                bytes[rank] = part * of.messages / 2 * cluster_.message_bytes;
            }
            if (is_ahead) {
                exchange.receive(sent, bytes, ready);
            }
            send();
            is_ahead = in_halves;
            if (!in_halves) {
                exchange.receive(sent, bytes, ready);
            }
        }
    }
    times.seconds = std::ranges::max(ready);
    times.compute = std::ranges::max(compute);
    times.overhead = std::ranges::max(overhead);
    for (const Rank& rank : ranks_) {
        times.messages = std::max(times.messages, rank.messages * cluster_.message_ns * kNanosecond);
    }
    return times;
}

}  // namespace lookahead
