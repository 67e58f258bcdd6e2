#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/port/message_router.h"
#include "core/sync/engine_statistics.h"
#include "core/sync/process_checkpoint.h"
#include "core/sync/process_profile.h"
#include "core/sync/rank_lookahead.h"
#include "core/sync/trial.h"
#include "core/sync/window_team.h"
#include "core/time/time.h"
#include "core/trace/trace_sink.h"

namespace lookahead {

/// An error thrown by an LP. The run reports the one with the least (time, lp).
struct LpFailure {
    Time time;
    LpId lp;
    ExitCode code;
    std::string sentence;
};

struct RankEngineOptions {
    TraceSink* trace = nullptr;
    std::size_t threads = 1;     ///< that advance LPs at most
    bool shares_always = false;  ///< also windows that one thread has done sooner
    bool log_windows = false;
};

/// The LPs of one rank, their inboxes, and the batches for other ranks. A protocol tells it how far it may go.
///
/// Inside a window no LP can disturb another, so several threads may advance those of one rank: the one that calls
/// advance_to(), and others that came to help(). Each has a router of its own, through which the LPs that it advances
/// send; an LP's messages are sorted before it gets them, so nothing depends on who advanced whom.
class RankEngine {
  public:
    /// Makes the LPs that `rank_of_lp` gives to this rank. Errors in their making are thrown.
    RankEngine(const Model&, std::span<const int> rank_of_lp, int rank, const RankLookahead&, const RankEngineOptions&);
    ~RankEngine() { dismiss_helpers(); }

    /// A bound below every event and message of this rank's LPs.
    Time earliest() const;
    /// A bound below every message that those will bring about, for whatever rank.
    Time earliest_effect() const;

    /// Runs all that happens before the horizon; the caller knows that no message from another rank will arrive
    /// before it. What the LPs of this rank send each other may arrive sooner: inner windows see to that.
    void advance_to(Time horizon);

    /// What other threads call to help until dismiss_helpers(); it returns at once after that, even when the engine is no
    /// more, and to those for whom there is no room.
    std::function<void()> helper();
    void dismiss_helpers() { team_->dismiss(); }

    /// Brings every LP to exactly this time, before which nothing is left to do.
    void settle(Time epoch);

    /// The state of this rank's LP processes()[index]; all stand at the same epoch.
    ProcessCheckpoint checkpoint(std::size_t index) const;
    /// Takes those of this rank's LPs from `all`. InputError if one does not fit.
    void restore(Time epoch, const ProcessCheckpoints& all);

    // Batches to other ranks. Each begins with the transport's header and `header_words` words of the protocol.
    void reserve_batch_headers(std::size_t header_words);
    Batch& batch(int rank) { return router().batches()[static_cast<std::size_t>(rank)]; }
    std::uint64_t* batch_header(int rank);
    /// Empties the batch after it was sent, and counts it.
    void reset_batch(int rank, std::size_t sent_bytes);
    /// Puts the messages of another rank's batch, without its headers, into the inboxes.
    void deliver(std::span<const std::byte> messages);

    /// Ends the span of wall time that began at the last call, as `activity`.
    void account(TraceActivity activity);
    /// Begins a span of wall time.
    void start_clock() { mark_ = TraceSink::Clock::now(); }
    void count_window(Time length);

    std::span<LogicalProcess* const> processes() const { return pointers_; }
    std::uint64_t progress() const;
    std::uint64_t traffic_hash() const;
    std::uint64_t state_hash() const;
    const std::optional<LpFailure>& failure() const { return first_failure_; }
    EngineStatistics& statistics() { return statistics_; }
    const ProcessProfile& profile() const { return profile_; }

  private:
    struct DueMessage {
        Time time;
        std::uint64_t order;
        const MessageHeader* message;
    };

    /// What a thread that advances LPs has for itself.
    struct alignas(64) Worker {
        MessageRouter router;
        std::vector<DueMessage> due;
        std::vector<const MessageHeader*> due_pointers;
        // In the window:
        std::uint64_t events = 0;
        std::uint64_t advances = 0;
        std::uint64_t ticks = 0;  // that its LPs took, in the profile's unit
    };

    void make_processes(const Model&, std::span<const int> rank_of_lp, int rank, int ranks, std::size_t threads);
    void set_reaches(const Model&);
    /// The router of the thread that calls advance_to(): what comes from elsewhere goes through it.
    MessageRouter& router() { return workers_.front()->router; }
    Time next_time(std::size_t index) const;
    Time effect_of_own_event(std::size_t index, Time time) const;
    void advance_window(Time horizon);
    void advance_task(Worker&, std::size_t task, std::uint64_t& mark);
    void advance_tasks_as(std::size_t member);
    void take_batches_of_helpers();
    void count_work();
    void release_due(std::size_t index, Time horizon);
    void prefetch_due(std::size_t task) const;
    void advance_process(Worker&, std::size_t index, Time horizon);
    Inbox collect_due(Worker&, std::size_t index, Time horizon);
    static void sort_due(std::vector<DueMessage>&);
    void restore_process(std::size_t index, const ProcessCheckpoint& saved);
    void fail(std::size_t index, ExitCode code, const std::string& sentence);
    std::uint64_t hash_process(std::size_t index, bool with_state) const;

    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::unique_ptr<LogicalProcess>> processes_;
    std::vector<LogicalProcess*> pointers_;
    std::vector<const Worker*> hands_;    // the worker through whose router each LP sends
    std::vector<std::uint64_t> traffic_;  // rolling hash of the messages delivered to each LP
    std::vector<std::uint8_t> failed_;
    std::vector<std::uint32_t> tasks_;  // LPs that have something to do in this window
    Time horizon_ = 0;                  // of this window
    std::uint64_t window_ticks_ = 0;    // of all workers in the last window: most windows are like the one before
    Trial sharing_;                     // of windows among the team
    bool shares_always_;
    std::shared_ptr<WindowTeam> team_;
    std::mutex failing_;
    Time local_lookahead_;
    std::size_t batch_header_bytes_ = 0;
    std::optional<LpFailure> first_failure_;
    EngineStatistics statistics_;
    ProcessProfile profile_;
    /// With no other rank to wait for, the windows are those between which the LPs exchange messages.
    bool logs_inner_windows_;
    bool logs_outer_windows_;
    TraceSink* trace_;
    TraceSink::Clock::time_point mark_ = TraceSink::Clock::now();
    Time reached_ = 0;
};

}  // namespace lookahead
