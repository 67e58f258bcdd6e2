#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/sync/process_checkpoint.h"
#include "core/sync/process_profile.h"
#include "core/sync/rank_messages.h"
#include "core/sync/source_lookahead.h"

namespace lookahead {

/// An error thrown by an LP. The run reports the one with the least (time, lp).
struct LpFailure {
    Time time;
    LpId lp;
    ExitCode code;
    std::string sentence;
};

/// The LPs of one rank: their next events, their states, and the hash of the messages that each has handled. `index`:
/// the LP's place among the LPs of this rank, in the order of their ids.
class RankProcesses final : public RunningProcesses {
  public:
    /// Makes the LPs of this rank; throws the errors that this causes.
    RankProcesses(const Model&, const SourceLookahead&, RankMessages&, ProcessProfile&);

    std::size_t size() const { return pointers_.size(); }
    std::span<LogicalProcess* const> all() const { return pointers_; }
    std::uint8_t kind(std::size_t index) const { return kinds_[index]; }
    std::size_t commonest_kind() const { return commonest_kind_; }
    Time next_event(std::size_t index) const { return own_[index]; }
    /// A lower bound of the times of all events and messages of the LPs, by source.
    SourceTimes pending() const;

    /// Advances an LP up to `horizon` on thread number `thread`. `reads`: whether the LP has messages to read
    /// (RankMessages::turn_if_due). An LP that throws is never advanced again. Threads may advance different LPs at the
    /// same time.
    void advance(std::size_t thread, std::size_t index, bool reads, Time horizon);
    /// The error with the least (time, lp) of all that LPs have thrown.
    const std::optional<LpFailure>& failure() const { return first_failure_; }

    // For checkpoints; all LPs must be at the same epoch.
    std::vector<LpId> ids() const override { return profile_.ids(); }
    ProcessCheckpoint process(LpId id) const override;
    void save_state(LpId id, const ByteSink&) const override;
    /// Restores all LPs. Throws InputError if one does not fit.
    void restore(const SavedProcesses&);

    std::uint64_t progress() const;
    /// The sum of the hashes of all LPs' messages. A sum does not depend on which LPs are on which rank.
    std::uint64_t traffic_hash() const;
    /// The hash of an LP's messages, and of its state if asked for.
    std::uint64_t hash(std::size_t index, bool with_state) const;

  private:
    std::size_t index_of(LpId id) const;
    Inbox receive(std::size_t thread, std::size_t index, Time horizon);
    void fail(std::size_t index, ExitCode code, const std::string& sentence);

    RankMessages& messages_;
    ProcessProfile& profile_;
    std::vector<std::unique_ptr<LogicalProcess>> processes_;
    std::vector<LogicalProcess*> pointers_;
    std::vector<Time> own_;  ///< by LP: its next event
    std::vector<std::uint8_t> kinds_;
    std::size_t commonest_kind_ = 0;
    std::vector<std::size_t> threads_;    ///< by LP: the thread through whose router it sends
    std::vector<std::uint64_t> traffic_;  ///< by LP: rolling hash of the messages delivered to it
    std::vector<std::uint8_t> failed_;    ///< by LP
    std::mutex failing_;
    std::optional<LpFailure> first_failure_;
};

}  // namespace lookahead
