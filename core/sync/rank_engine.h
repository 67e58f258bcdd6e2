#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
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
#include "core/sync/routes.h"
#include "core/sync/sharing_trial.h"
#include "core/sync/source_lookahead.h"
#include "core/sync/window_team.h"
#include "core/sync/work_plan.h"
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

/// The LPs of one rank, their inboxes, and the batches for other ranks. A protocol tells it how far it may advance.
///
/// Inside a window no LP can affect another, so several threads may advance the LPs of one rank: the thread that calls
/// advance_to(), and others that call help(). Each has its own router for the messages of the LPs that it advances. An
/// LP's messages are sorted before it gets them, so the result does not depend on the threads.
class RankEngine {
  public:
    /// Makes the LPs that `rank_of_lp` assigns to this rank. Errors in making them are thrown.
    RankEngine(const Model&, std::span<const int> rank_of_lp, int rank, const SourceLookahead&, const Routes&,
               const RankEngineOptions&);
    ~RankEngine() { dismiss_helpers(); }

    /// A lower bound of the times of all events and messages of this rank's LPs; pending() has it by source.
    Time earliest() const { return least_of(pending()); }
    SourceTimes pending() const;
    /// A lower bound of the times of messages written for other ranks since the last call.
    SourceTimes take_sent();

    /// Runs all events before the horizons of each kind of LP. The caller guarantees that no message from another rank,
    /// nor a message within this rank that it causes (SourceLookahead::from_elsewhere), arrives before them. Messages
    /// between LPs of this rank may arrive sooner: inner windows handle these.
    void advance_to(const KindTimes& horizons);
    /// The time of the kind with most LPs on this rank.
    Time of_most(const KindTimes& times) const { return times[most_]; }

    /// A function that other threads call to help until dismiss_helpers(). It returns at once after that, even when the
    /// engine no longer exists, and for threads beyond the capacity of the team.
    std::function<void()> helper();
    void dismiss_helpers() { team_->dismiss(); }

    /// Advances every LP to exactly this time; no event may be left before it.
    void settle(Time epoch);

    /// The checkpoint of this rank's LP processes()[index]; all LPs must be at the same epoch.
    ProcessCheckpoint checkpoint(std::size_t index) const;
    void save_state(std::size_t index, const ByteSink&) const;
    /// Restores this rank's LPs from `all`. InputError if one does not fit.
    void restore(Time epoch, const SavedProcesses& all);

    // Batches to other ranks, by number (Routes). Each begins with the transport's header and `header_words` words of
    // the protocol.
    void reserve_batch_headers(std::size_t header_words);
    Batch& batch(std::size_t number) { return router().batches()[number]; }
    std::uint64_t* batch_header(std::size_t number);
    /// Empties the batch after it was sent, and counts it.
    void reset_batch(std::size_t number, std::size_t sent_bytes);
    /// Puts the messages of another rank's batch, without its headers, into the inboxes, or into the batches for
    /// further ranks.
    void deliver(std::span<const std::byte> messages);

    /// Ends the span of wall time since the last call, as `activity`.
    void account(TraceActivity activity);
    /// Begins a span of wall time.
    void start_clock() { mark_ = TraceSink::Clock::now(); }
    void count_window(Time length);

    std::span<LogicalProcess* const> processes() const { return pointers_; }
    std::uint64_t progress() const;
    std::uint64_t traffic_hash() const;
    /// The hash of all LPs' states, computed by the threads of the team; call it before dismiss_helpers().
    std::uint64_t state_hash();
    const std::optional<LpFailure>& failure() const { return first_failure_; }
    EngineStatistics& statistics() { return statistics_; }
    const ProcessProfile& profile() const { return profile_; }

  private:
    struct DueMessage {
        Time time;
        std::uint64_t order;
        const MessageHeader* message;
    };

    /// The data of one thread that advances LPs.
    struct alignas(64) Worker {
        MessageRouter router;
        std::vector<DueMessage> due;
        std::vector<const MessageHeader*> due_pointers;
        // In the window:
        std::uint64_t events = 0;
        std::uint64_t advances = 0;
        std::uint64_t ticks = 0;        // of its LPs, in the profile's unit
        std::uint64_t computed_ns = 0;  // of its thread's CPU time, in the shared window
    };

    void make_processes(const Model&, std::span<const int> rank_of_lp, int rank, std::size_t threads);
    void describe_receivers(const Model&);
    void find_runs();
    /// The router of the thread that calls advance_to(), also used for messages from other ranks.
    MessageRouter& router() { return workers_.front()->router; }
    /// A lower bound of the times of messages that wait for an LP.
    Time arrival(std::size_t index) const {
        return std::min(arrivals_->least(Arrivals::kUsual, index), arrivals_->least(Arrivals::kAnswered, index));
    }
    void choose_tasks(const KindTimes& horizons);
    void plan_work();
    void advance_window();
    void advance_task(Worker&, std::size_t task, std::uint64_t& mark);
    void advance_tasks_as(std::size_t member);
    /// Runs `work(member)` on every thread of the team, with 0 on this thread; returns when all have returned. Throws
    /// the first exception of any of them.
    void share(const std::function<void(std::size_t member)>& work);
    void work_as(std::size_t member);
    void take_batches_of_helpers();
    void count_work();
    void prefetch_due(std::size_t task) const;
    void advance_process(Worker&, std::size_t index, bool reads, Time horizon);
    template <class F>
    void for_each_inbox(std::size_t index, unsigned side, F f);
    Inbox collect_due(Worker&, std::size_t index, bool reads, Time horizon);
    void clear_read(std::size_t index, unsigned side);
    static void sort_due(std::vector<DueMessage>&);
    void restore_process(std::size_t index, const SavedProcesses& all);
    void fail(std::size_t index, ExitCode code, const std::string& sentence);
    std::uint64_t hash_process(std::size_t index, bool with_state) const;

    /// An LP with work in this window. `reads`: messages, on the side to which routers do not write (Arrivals).
    struct Task {
        std::uint32_t index;
        std::uint8_t kind;
        bool reads;
    };
    /// Neighbouring LPs of one kind.
    struct Run {
        std::size_t kind;
        std::size_t begin;
        std::size_t end;
    };

    const SourceLookahead& lookahead_;
    const Routes& routes_;
    std::shared_ptr<Arrivals> arrivals_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::unique_ptr<LogicalProcess>> processes_;
    std::vector<LogicalProcess*> pointers_;
    std::vector<Time> own_;               // by LP: its next event
    std::vector<std::uint8_t> kinds_;     // by LP
    std::vector<bool> is_here_;           // by the model's LP
    std::vector<Run> runs_;               // all LPs
    std::size_t most_ = 0;                // the kind with most LPs
    std::vector<const Worker*> hands_;    // the worker through whose router each LP sends
    std::vector<std::uint64_t> traffic_;  // rolling hash of the messages delivered to each LP
    std::vector<std::uint8_t> failed_;
    std::vector<Task> tasks_;
    WorkPlan plan_;                             // determines the order of the tasks
    std::vector<std::size_t> parts_;            // the first task of each part of the plan, then their number
    std::vector<std::uint64_t> planned_ticks_;  // of each LP, when the plan was made
    unsigned shared_since_plan_ = 0;            // windows
    KindTimes horizons_{};                      // of this window
    std::uint64_t window_ticks_ = 0;  // of all workers in the last window: most windows are like the one before
    SharingTrial sharing_;            // of windows among the team
    bool shares_always_;
    std::shared_ptr<WindowTeam> team_;
    const std::function<void(std::size_t member)>* shared_work_ = nullptr;  ///< of the open window
    std::mutex failing_;
    std::exception_ptr thrown_;  ///< by shared work
    std::size_t batch_header_bytes_ = 0;
    std::optional<LpFailure> first_failure_;
    EngineStatistics statistics_;
    ProcessProfile profile_;
    /// On one rank the log has the inner windows, between which the LPs exchange messages.
    bool logs_inner_windows_;
    bool logs_outer_windows_;
    TraceSink* trace_;
    TraceSink::Clock::time_point mark_ = TraceSink::Clock::now();
    KindTimes reached_{};
};

}  // namespace lookahead
