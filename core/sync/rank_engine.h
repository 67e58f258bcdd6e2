#pragma once

#include <cstdint>
#include <memory>
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

/// The LPs of one rank, their inboxes, and the batches for other ranks. A protocol tells it how far it may go.
class RankEngine {
  public:
    /// Makes the LPs that `rank_of_lp` gives to this rank. Errors in their making are thrown.
    RankEngine(const Model&, std::span<const int> rank_of_lp, int rank, const RankLookahead&, TraceSink*,
               bool log_windows = false);

    /// A bound below every event and message of this rank's LPs.
    Time earliest() const;
    /// A bound below every message that those will bring about, for whatever rank.
    Time earliest_effect() const;

    /// Runs all that happens before the horizon; the caller knows that no message from another rank will arrive
    /// before it. What the LPs of this rank send each other may arrive sooner: inner windows see to that.
    void advance_to(Time horizon);

    /// Brings every LP to exactly this time, before which nothing is left to do.
    void settle(Time epoch);

    /// Of this rank's LPs, which all stand at the same epoch.
    std::vector<ProcessCheckpoint> checkpoint() const;
    /// Takes those of this rank's LPs from `all`. InputError if one does not fit.
    void restore(Time epoch, std::span<const ProcessCheckpoint> all);

    // Batches to other ranks. Each begins with the transport's header and `header_words` words of the protocol.
    void reserve_batch_headers(std::size_t header_words);
    Batch& batch(int rank) { return router_->batches()[static_cast<std::size_t>(rank)]; }
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

    void make_processes(const Model&, std::span<const int> rank_of_lp, int rank, int ranks);
    void set_reaches(const Model&);
    Time effect_of_own_event(std::size_t index, Time time) const;
    void advance_window(Time horizon);
    void prefetch_inbox(std::size_t index) const;
    void advance_process(std::size_t index, Time horizon);
    Inbox collect_due(std::size_t index, Time horizon);
    void sort_due();
    void restore_process(std::size_t index, const ProcessCheckpoint& saved);
    void fail(std::size_t index, ExitCode code, const std::string& sentence);
    std::uint64_t hash_process(std::size_t index, bool with_state) const;

    std::unique_ptr<MessageRouter> router_;
    std::vector<std::unique_ptr<LogicalProcess>> processes_;
    std::vector<LogicalProcess*> pointers_;
    std::vector<std::uint64_t> traffic_;  // rolling hash of the messages delivered to each LP
    std::vector<std::uint8_t> failed_;
    std::vector<DueMessage> due_;
    std::vector<const MessageHeader*> due_pointers_;
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
