#include "partitioning/placement/window_replay.h"

#include <algorithm>
#include <numeric>

#include "core/sync/routes.h"
#include "core/sync/sync_protocol.h"

namespace lookahead {
namespace {

/// The ranks' clocks and the packets between them.
class Timeline {
  public:
    explicit Timeline(const Cluster& cluster)
        : cluster_(cluster),
          ranks_(static_cast<std::size_t>(cluster.ranks)),
          clocks_(ranks_, 0),
          bytes_(ranks_, 0),
          sent_(ranks_, 0),
          sent_bytes_(ranks_, 0) {
        for (int rank = 0; rank < cluster.ranks; ++rank) {
            routes_.emplace_back(rank, cluster.ranks, goes_in_rounds(cluster.ranks));
        }
    }

    static bool goes_in_rounds(int ranks) { return ranks > find_sync_protocol("window").most_direct; }

    /// The rank computes for `seconds` and writes `bytes` of messages.
    void compute(std::size_t rank, double seconds, double bytes) {
        clocks_[rank] += seconds;
        bytes_[rank] = bytes;
    }

    /// All ranks send packets. They wait for the others' packets or, if they go ahead, for the previous ones.
    void exchange(bool goes_ahead) {
        catch_up();
        send();
        is_ahead_ = true;
        if (!goes_ahead) { catch_up(); }
    }
    /// All ranks wait for the messages sent.
    void catch_up() {
        if (is_ahead_) {
            receive();
            is_ahead_ = false;
        }
    }

    void end_epoch() {
        catch_up();
        std::ranges::fill(clocks_, end() + cluster_.all_gather());
    }

    double end() const { return std::ranges::max(clocks_); }
    /// The number of packets that each rank has sent.
    std::uint64_t packets() const { return packets_; }

  private:
    double packet_seconds() const { return cluster_.packet_us * kMicrosecond; }
    std::size_t batches() const { return routes_.front().batches(); }
    /// Packets that a rank sends before it waits for any.
    std::size_t first_batches() const {
        return routes_.front().in_rounds() ? std::min<std::size_t>(batches(), 1) : batches();
    }

    void send() {
        for (double& clock : clocks_) { clock += static_cast<double>(first_batches()) * packet_seconds(); }
        sent_ = clocks_;
        sent_bytes_ = bytes_;
        packets_ += batches();
    }

    void receive() {
        for (std::size_t batch = 0; batch < batches(); ++batch) {
            const bool is_first = batch < first_batches();
            const double sending = is_first ? 0 : packet_seconds();
            const std::vector<double> before = clocks_;
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                const auto from = static_cast<std::size_t>(routes_[rank].from(batch));
                const double departed = is_first ? sent_[from] : before[from];
                clocks_[rank] =
                    std::max(before[rank] + sending, departed + sending + cluster_.way(from, rank, sent_bytes_[from])) +
                    packet_seconds();
            }
        }
    }

    const Cluster& cluster_;
    std::size_t ranks_;
    std::vector<Routes> routes_;
    std::vector<double> clocks_;
    std::vector<double> bytes_;       // bytes that each rank wrote last
    std::vector<double> sent_;        // when each rank sent its first packets
    std::vector<double> sent_bytes_;  // bytes in each of these packets
    bool is_ahead_ = false;
    std::uint64_t packets_ = 0;
};

}  // namespace

WindowReplay::WindowReplay(const LoggedWindows& log, std::span<const int> rank_of_lp, const Cluster& cluster)
    : log_(log), cluster_(cluster), ranks_(static_cast<std::size_t>(cluster.ranks)) {
    log.check(rank_of_lp.size());
    const std::vector<double> work = log.work();
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
    const bool in_rounds = Timeline::goes_in_rounds(cluster_.ranks);
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

/// An idle thread takes the next LP; LPs are ordered by their work in the whole run, most first.
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
    share.seconds = share.work * cluster_.slowdown_by_ranks();
    if (cluster_.threads > 1 && busy > 1) {
        const double shared = on_threads(rank, window) * cluster_.slowdown * cluster_.slowdown_by_ranks() +
                              cluster_.share_us * kMicrosecond;
        share.is_shared = shared < share.seconds;
        share.seconds = std::min(shared, share.seconds);
    }
    return share;
}

std::vector<WindowReplay::Share> WindowReplay::shares(std::size_t window) const {
    std::vector<Share> shares;
    for (const Rank& rank : ranks_) { shares.push_back(compute(rank, window)); }
    return shares;
}

double WindowReplay::critical_path() const {
    double path = 0;
    for (std::size_t window = 0; window < log_.windows(); ++window) {
        path += std::ranges::max(shares(window), {}, &Share::seconds).seconds;
    }
    return path;
}

double WindowReplay::looking(const Rank& rank) const {
    return static_cast<double>(rank.processes.size()) * cluster_.process_ns * kNanosecond;
}

WindowReplay::Cost WindowReplay::cost(const Rank& rank, const Share& share, bool is_half) const {
    const double part = (rank.work > 0 ? share.work / rank.work : 0) / (is_half ? 2 : 1);
    return {.compute = is_half ? share.seconds * cluster_.half_work / 2 : share.seconds,
            .messages = part * rank.messages * cluster_.message_ns * kNanosecond,
            .overhead = looking(rank),
            .bytes = part * rank.messages / 2 * cluster_.message_bytes};  // half of them are written
}

ReplayTimes WindowReplay::run(bool halves) const {
    Timeline timeline(cluster_);
    std::vector<Cost> totals(ranks_.size());
    ReplayTimes times;
    for (std::size_t window = 0; window < log_.windows(); ++window) {
        const std::vector<Share> shares = this->shares(window);
        times.shared_windows += static_cast<std::uint64_t>(std::ranges::count_if(shares, &Share::is_shared));
        const bool in_halves = halves && ranks_.size() > 1 && std::ranges::all_of(shares, &Share::is_busy);
        if (!in_halves) { timeline.catch_up(); }
        if (log_.ends_epoch_before(window)) {
            timeline.end_epoch();
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                const double looking = this->looking(ranks_[rank]);
                timeline.compute(rank, looking, 0);
                totals[rank].overhead += looking;
            }
        }
        for (int step = 0; step < (in_halves ? 2 : 1); ++step) {
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                const Cost cost = this->cost(ranks_[rank], shares[rank], in_halves);
                timeline.compute(rank, cost.compute + cost.messages + cost.overhead, cost.bytes);
                totals[rank].compute += cost.compute;
                totals[rank].messages += cost.messages;
                totals[rank].overhead += cost.overhead;
            }
            timeline.exchange(in_halves);
        }
    }
    timeline.catch_up();
    times.seconds = timeline.end();
    times.packets = timeline.packets();
    times.compute = std::ranges::max(totals, {}, &Cost::compute).compute;
    times.messages = std::ranges::max(totals, {}, &Cost::messages).messages;
    times.overhead = std::ranges::max(totals, {}, &Cost::overhead).overhead;
    return times;
}

}  // namespace lookahead
