#include "core/sync/rank_engine.h"

#include <array>
#include <atomic>
#include <bit>

#include "core/error/error.h"
#include "core/sync/host_clock.h"

namespace lookahead {

namespace {

std::vector<LpId> lps_of(int rank, std::span<const int> rank_of_lp) {
    std::vector<LpId> ids;
    for (LpId id = 0; id < rank_of_lp.size(); ++id) {
        if (rank_of_lp[id] == rank) { ids.push_back(id); }
    }
    return ids;
}

}  // namespace

RankEngine::RankEngine(const Model& model, std::span<const int> rank_of_lp, int rank, const SourceLookahead& lookahead,
                       const Routes& routes, const SimulationOptions& options)
    : lookahead_(lookahead),
      profile_(model, lps_of(rank, rank_of_lp), options.log_windows),
      messages_(model, rank_of_lp, rank, lookahead, routes, options.threads, statistics_),
      processes_(model, lookahead, messages_, profile_),
      tasks_(processes_.size()),
      team_(std::make_shared<WindowTeam>(options.threads, processes_.size())),
      shares_always_(options.shares_always),
      logs_inner_(options.log_windows && routes.ranks() == 1),
      logs_outer_(options.log_windows && routes.ranks() > 1),
      trace_(options.trace) {}

void RankEngine::advance_to(const KindTimes& horizons) {
    if (logs_outer_) { profile_.begin_window(least_of(processes_.pending())); }
    while (true) {
        const SourceTimes now = processes_.pending();
        KindTimes inner = lookahead_.from_within(now);
        lower_each(inner, horizons);
        tasks_.choose(inner, processes_, messages_);
        if (tasks_.all().empty()) { break; }
        ++statistics_.inner_windows;
        if (logs_inner_) { profile_.begin_window(least_of(now)); }
        messages_.set_horizons(inner);
        advance_window();
        messages_.end_window();
        if (logs_inner_) { profile_.end_window(); }
    }
    if (logs_outer_) { profile_.end_window(); }
    reached_ = horizons;
}

[[gnu::hot]] void RankEngine::advance_window() {
    const std::span<const WindowTasks::Task> tasks = tasks_.all();
    statistics_.advances += tasks.size();
    if (team_->has_members() && (shares_always_ || (tasks.size() > 1 && sharing_.choose(window_ticks_)))) {
        share_window();
        return;
    }
    const std::uint64_t begin = profile_.now();
    std::uint64_t mark = begin;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
        if (task + 1 < tasks.size() && tasks[task + 1].reads) { messages_.prefetch(tasks[task + 1].index); }
        advance_task(0, task, mark);
    }
    window_ticks_ = mark - begin;
}

void RankEngine::share_window() {
    std::atomic<std::uint64_t> ticks = 0;
    std::atomic<std::uint64_t> computed = 0;
    const std::uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
    team_->share(tasks_.begins(), [&](std::size_t member) {
        const std::uint64_t cpu_begin = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t first = profile_.now();
        std::uint64_t mark = first;
        team_->work_through(member, [&](std::size_t task) { advance_task(member, task, mark); });
        ticks += mark - first;
        computed += nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_begin;
    });
    if (!shares_always_) {
        sharing_.took(static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - begin), static_cast<double>(computed));
    }
    window_ticks_ = ticks;
    ++statistics_.shared_windows;
    tasks_.after_shared_window(team_->members(), profile_.ticks());
}

/// `mark`: on entry the processor's counter when the thread began the task, on return when it ended it.
void RankEngine::advance_task(std::size_t thread, std::size_t task, std::uint64_t& mark) {
    const WindowTasks::Task& chosen = tasks_.all()[task];
    processes_.advance(thread, chosen.index, chosen.reads, chosen.horizon);
    mark = profile_.advanced(chosen.index, mark);
}

void RankEngine::settle(Time epoch) {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        processes_.advance(0, i, messages_.turn_if_due(i, epoch), epoch);
    }
    statistics_.advances += processes_.size();
    messages_.end_window();
    for (const Batch& batch : messages_.router().batches()) {
        LOOKAHEAD_ASSERT(batch.messages == 0,
                         "an LP sent a message before {} fs although it had announced no event before then", epoch);
    }
    reached_ = all_at<kMostKinds>(epoch);
}

void RankEngine::restore(Time epoch, const SavedProcesses& all) {
    processes_.restore(all);
    reached_ = all_at<kMostKinds>(epoch);
}

std::uint64_t RankEngine::state_hash() {
    std::atomic<std::uint64_t> sum = 0;
    const std::array<std::size_t, 2> all = {0, processes_.size()};
    team_->share(all, [&](std::size_t member) {
        team_->work_through(member, [&](std::size_t index) { sum += processes_.hash(index, true); });
    });
    return sum;
}

void RankEngine::account(TraceActivity activity) {
    const TraceSink::Clock::time_point now = TraceSink::Clock::now();
    const double seconds = std::chrono::duration<double>(now - mark_).count();
    (activity == TraceActivity::compute ? statistics_.compute_seconds : statistics_.blocked_seconds) += seconds;
    if (trace_ != nullptr) { trace_->span(activity, mark_, now, of_most(reached_)); }
    mark_ = now;
}

void RankEngine::count_window(Time length) {
    ++statistics_.windows;
    if (length > 0) {
        ++statistics_.window_lengths[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length))) - 1];
    }
}

}  // namespace lookahead
