#include "partitioning/placement/step_replay.h"

#include <algorithm>
#include <cmath>

#include "core/sync/simulation.h"

namespace lookahead {

namespace {

/// The end of a window in which LPs had something to do.
Time busy_end(const WindowLog& log, std::size_t window, Time longest, Time epoch_length) {
    const Time begin = log.start[window];
    const Time next = window + 1 < log.start.size() ? log.start[window + 1] : kTimeInfinity;
    const Time end = next - begin > saturating_add(longest, longest) ? saturating_add(begin, longest) : next;
    return std::min(end, epoch_after(begin, epoch_length));
}

}  // namespace

WindowLog staggered_steps(const WindowLog& log, std::size_t processes, Time longest, Time epoch_length) {
    WindowLog steps{.start = {}, .nanoseconds = {}, .messages = log.messages};
    std::vector<double> work(processes);
    Time now = 0;
    for (std::size_t window = 0; window < log.start.size();) {
        now = std::max(now, log.start[window]);
        steps.start.push_back(now);
        std::ranges::fill(work, 0);
        const Time length = busy_end(log, window, longest, epoch_length) - log.start[window];
        const Time stop = saturating_add(now, std::min(length, longest));
        const Time epoch = now / epoch_length;
        for (bool goes_on = true; goes_on;) {
            const Time begin = log.start[window], end = busy_end(log, window, longest, epoch_length);
            const Time until = std::min(end, stop);
            const double share = end > begin ? static_cast<double>(until - now) / static_cast<double>(end - begin) : 1;
            for (std::size_t lp = 0; lp < processes; ++lp) {
                work[lp] += share * log.nanoseconds[window * processes + lp];
            }
            now = until;
            window += until == end;
            goes_on = until == end && window < log.start.size() && log.start[window] == now && now < stop &&
                      now / epoch_length == epoch;
        }
        for (const double nanoseconds : work) {
            steps.nanoseconds.push_back(static_cast<std::uint32_t>(std::lround(nanoseconds)));
        }
    }
    return steps;
}

StepReplay::StepReplay(const LoggedWindows& log, std::span<const int> rank_of_lp,
                       std::span<const std::uint8_t> side_of_lp, const Cluster& cluster)
    : log_(log), cluster_(cluster), ranks_(static_cast<std::size_t>(cluster.ranks)), done_(log.processes, 0) {
    log.check(rank_of_lp.size());
    log.check(side_of_lp.size());
    const std::vector<double> work = log.work();
    for (std::uint32_t lp = 0; lp < log.processes; ++lp) {
        Rank& rank = ranks_.at(static_cast<std::size_t>(rank_of_lp[lp]));
        rank.sides.at(side_of_lp[lp]).processes.push_back(lp);
        rank.work += work[lp];
        for (std::size_t to = 0; to < log.processes; ++to) {
            if (const auto there = static_cast<std::size_t>(rank_of_lp[to]); &ranks_.at(there) != &rank) {
                const auto messages = static_cast<double>(log.messages[lp * log.processes + to]);
                rank.written += messages;
                ranks_[there].taken += messages;
            }
        }
    }
    epochs_.push_back(0);
    for (std::size_t window = 1; window < log.windows(); ++window) {
        if (log.ends_epoch_before(window)) { epochs_.push_back(window); }
    }
    epochs_.push_back(log.windows());
    for (Rank& rank : ranks_) {
        for (Side& side : rank.sides) {
            std::ranges::stable_sort(side.processes, std::ranges::greater(),
                                     [&](std::uint32_t lp) { return work[lp]; });
        }
    }
}

double StepReplay::slowdown() const {
    return (cluster_.threads > 1 ? cluster_.slowdown : 1) * cluster_.slowdown_by_ranks();
}

/// A rank's bytes are spread evenly over its packets.
double StepReplay::way(std::uint32_t from, std::uint32_t to) const {
    const double packets = static_cast<double>(kSides * log_.windows());
    return cluster_.way(from, to, ranks_[from].written * cluster_.message_bytes / packets);
}

void StepReplay::schedule(double time, What what, std::uint32_t rank, unsigned side, std::uint64_t step) {
    events_.push({time, scheduled_++, what, rank, side, step});
}

ReplayTimes StepReplay::run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].idle = cluster_.threads;
        open_steps(rank, 0);
    }
    for (; !events_.empty(); events_.pop()) {
        const Event event = events_.top();
        now_ = event.time;
        handle(event);
    }
    ReplayTimes times{.seconds = now_, .packets = kSides * log_.windows() * (ranks_.size() - 1)};
    const double threads = cluster_.threads;
    times.compute = std::ranges::max(ranks_, {}, &Rank::compute).compute / threads;
    times.messages = std::ranges::max(ranks_, {}, &Rank::messages).messages / threads;
    times.overhead = std::ranges::max(ranks_, {}, &Rank::overhead).overhead / threads;
    return times;
}

void StepReplay::handle(const Event& event) {
    Rank& rank = ranks_[event.rank];
    switch (event.what) {
        case What::thread_is_free:
            break;
        case What::lp_ends:
            if (--rank.sides[event.side].left[event.step % kKept] == 0) {
                tell(event.rank, event.side, event.step, event.time);
                return;
            }
            break;
        case What::step_is_told:
            learn(event.rank, event.side, event.step, event.time);
            break;
        case What::packet_comes:
            rank.mail.push_back(event);
            if (rank.idle == 0) { return; }
            --rank.idle;
            break;
        case What::packet_is_taken:
            rank.is_taking = false;
            learn(event.rank, event.side, event.step, event.time);
            break;
        case What::epoch_begins:
            rank.is_at_end = false;
            open_steps(event.rank, event.time);
            return;
    }
    give_work(event.rank, event.time);
}

void StepReplay::give_work(std::uint32_t number, double now) {
    Rank& rank = ranks_[number];
    if (!rank.mail.empty() && !rank.is_taking) {
        const Event packet = rank.mail.front();
        rank.mail.pop_front();
        rank.is_taking = true;
        const double packets = static_cast<double>(kSides * log_.windows() * (ranks_.size() - 1));
        const double messages = rank.taken / packets * cluster_.message_ns * kNanosecond;
        rank.messages += messages;
        schedule(now + cluster_.packet_us * kMicrosecond + messages, What::packet_is_taken, number, packet.side,
                 packet.step);
    } else if (!take_lp(number, now)) {
        ++rank.idle;
    }
}

bool StepReplay::take_lp(std::uint32_t number, double now) {
    Rank& rank = ranks_[number];
    const std::uint64_t newest = std::max(rank.sides[0].opened, rank.sides[1].opened);
    for (std::uint64_t step = newest > 2 ? newest - 2 : 1; step <= newest; ++step) {
        for (unsigned of = 0; of < kSides; ++of) {
            Side& side = rank.sides[of];
            std::size_t& next = side.next[step % kKept];
            if (step > side.opened || next == side.processes.size()) { continue; }
            const std::uint32_t lp = side.processes[next++];
            const double work = log_.nanoseconds[(step - 1) * log_.processes + lp] * kNanosecond;
            const double compute = work * slowdown() * cluster_.step_work;
            const double messages =
                rank.work > 0 ? work / rank.work * rank.written * cluster_.message_ns * kNanosecond : 0;
            const double overhead = cluster_.process_ns * kNanosecond;
            rank.compute += compute;
            rank.messages += messages;
            rank.overhead += overhead;
            done_[lp] = std::max(now, done_[lp]) + compute + messages + overhead;
            schedule(done_[lp], What::lp_ends, number, of, step);
            return true;
        }
    }
    return false;
}

/// The thread that ended the step looks after what follows, and sends the packets, one after another.
void StepReplay::tell(std::uint32_t number, unsigned side, std::uint64_t step, double now) {
    const double looking = cluster_.share_us * kMicrosecond;
    double sent = now + looking;
    for (std::uint32_t other = 0; other < ranks_.size(); ++other) {
        if (other != number) {
            sent += cluster_.packet_us * kMicrosecond;
            schedule(sent + way(number, other), What::packet_comes, other, side, step);
        }
    }
    ranks_[number].overhead += looking;
    schedule(sent, What::step_is_told, number, side, step);
}

void StepReplay::learn(std::uint32_t number, unsigned of, std::uint64_t step, double now) {
    Side& side = ranks_[number].sides[of];
    ++side.told[step % kKept];
    while (side.known < log_.windows() && side.told[(side.known + 1) % kKept] == cluster_.ranks) {
        side.told[++side.known % kKept] = 0;
    }
    look_for_epochs_end(number, now);
    open_steps(number, now);
}

bool StepReplay::waits_for_epoch(const Rank& rank, const Side& side) const {
    return rank.is_at_end || side.opened >= epochs_[epoch_ + 1];
}

void StepReplay::look_for_epochs_end(std::uint32_t number, double now) {
    Rank& rank = ranks_[number];
    const std::uint64_t last = epochs_[epoch_ + 1];
    if (rank.is_at_end || last == log_.windows() || rank.sides[0].known < last || rank.sides[1].known < last) {
        return;
    }
    rank.is_at_end = true;
    if (++at_end_ < cluster_.ranks) { return; }
    at_end_ = 0;
    ++epoch_;
    // A step's packets, and the ranks' summaries.
    const double begin = now + cluster_.share_us * kMicrosecond + 2 * cluster_.all_gather();
    for (std::uint32_t other = 0; other < ranks_.size(); ++other) { schedule(begin, What::epoch_begins, other); }
}

void StepReplay::open_steps(std::uint32_t number, double now) {
    Rank& rank = ranks_[number];
    for (unsigned of = 0; of < kSides; ++of) {
        Side& side = rank.sides[of];
        while (side.opened < log_.windows() && !waits_for_epoch(rank, side) && rank.sides[0].known >= side.opened &&
               (of == 1 || rank.sides[1].known >= side.opened)) {
            const std::uint64_t step = ++side.opened;
            side.next[step % kKept] = 0;
            side.left[step % kKept] = side.processes.size();
            if (side.processes.empty()) {
                tell(number, of, step, now);
                --rank.idle;  // a thread that is free again when that is told
            }
        }
    }
    wake(number, now);
}

void StepReplay::wake(std::uint32_t rank, double now) {
    for (int& idle = ranks_[rank].idle; idle > 0; --idle) { schedule(now, What::thread_is_free, rank); }
}

}  // namespace lookahead
