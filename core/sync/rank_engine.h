#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/lp/model.h"
#include "core/sync/engine_statistics.h"
#include "core/sync/process_profile.h"
#include "core/sync/rank_messages.h"
#include "core/sync/rank_processes.h"
#include "core/sync/routes.h"
#include "core/sync/sharing_trial.h"
#include "core/sync/simulation.h"
#include "core/sync/source_lookahead.h"
#include "core/sync/window_tasks.h"
#include "core/sync/window_team.h"
#include "core/time/time.h"
#include "core/trace/trace_sink.h"

namespace lookahead {

/// Advances the LPs of one rank, window by window. A protocol tells it how far it may advance.
///
/// Inside a window no LP can affect another, so several threads may advance the LPs of one rank: the thread that calls
/// advance_to(), and others that call the function that helper() returns.
class RankEngine {
  public:
    /// Makes the LPs that `rank_of_lp` assigns to this rank; throws the errors that this causes.
    RankEngine(const Model&, std::span<const int> rank_of_lp, int rank, const SourceLookahead&, const Routes&,
               const SimulationOptions&);
    ~RankEngine() { dismiss_helpers(); }

    const RankProcesses& processes() const { return processes_; }
    RankMessages& messages() { return messages_; }

    /// Runs all events before the horizons of each kind of LP. The caller guarantees that no message from another rank
    /// arrives before them, nor a message within this rank that such a message causes
    /// (SourceLookahead::from_elsewhere). Other messages between LPs of this rank may arrive sooner: inner windows
    /// handle these.
    void advance_to(const KindTimes& horizons);
    /// Delivers the messages of another rank's batch, which are passed without the batch's headers.
    void deliver(std::span<const std::byte> messages) { messages_.deliver(messages, reached_); }
    /// Of these times, that of the kind with most LPs on this rank.
    Time of_most(const KindTimes& times) const { return times[processes_.commonest_kind()]; }
    /// Advances every LP to exactly this time; no event may be left before it.
    void settle(Time epoch);
    /// Restores this rank's LPs from `all`. Throws InputError if one does not fit.
    void restore(Time epoch, const SavedProcesses& all);
    /// The hash of all LPs' states, computed by the threads of the team; call it before dismiss_helpers(). The LPs'
    /// hashes are added, so that the sum does not depend on which rank they are on.
    std::uint64_t state_hash();

    /// Returns a function that other threads call to help until dismiss_helpers(). Called after that, even when the
    /// engine no longer exists, or by more threads than the team can hold, it returns at once.
    std::function<void()> helper() {
        return [team = team_] { team->help(); };
    }
    void dismiss_helpers() { team_->dismiss(); }

    /// Ends the span of wall time since the last call, as `activity`.
    void account(TraceActivity activity);
    void start_clock() { mark_ = TraceSink::Clock::now(); }
    void count_window(Time length);
    EngineStatistics& statistics() { return statistics_; }
    const ProcessProfile& profile() const { return profile_; }

  private:
    void advance_window();
    void share_window();
    void advance_task(std::size_t thread, std::size_t task, std::uint64_t& mark);

    const SourceLookahead& lookahead_;
    EngineStatistics statistics_;
    ProcessProfile profile_;
    RankMessages messages_;
    RankProcesses processes_;
    WindowTasks tasks_;
    std::shared_ptr<WindowTeam> team_;
    SharingTrial sharing_;  ///< chooses the windows that the team shares
    bool shares_always_;
    std::uint64_t window_ticks_ = 0;  ///< of all threads in the last window: most windows are like the one before
    bool logs_inner_;  ///< on one rank the log has the inner windows, between which the LPs exchange messages
    bool logs_outer_;
    TraceSink* trace_;
    TraceSink::Clock::time_point mark_ = TraceSink::Clock::now();
    KindTimes reached_{};
};

}  // namespace lookahead
