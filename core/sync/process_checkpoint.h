#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/archive.h"
#include "core/message/message.h"

namespace lookahead {

class Transport;

/// A logical process at an epoch, but for its state: with that it is enough for another run of the same model, on any rank,
/// to go on from there.
struct ProcessCheckpoint {
    LpId id = 0;
    std::string messages;            ///< that wait for it, one behind the other, in any order
    std::uint64_t traffic_hash = 0;  ///< of the messages that it has handled
    std::uint64_t state_hash = 0;    ///< of these and its state: who loads it must come to the same

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& id& messages& traffic_hash& state_hash;
    }
};

// A state (LpBinding::fields) goes in pieces from the process to the file and back: it may be more than a rank has room for
// beside the process.

/// Processes that run, as they stand when they are asked for.
class RunningProcesses {
  public:
    virtual ~RunningProcesses() = default;
    virtual std::vector<LpId> ids() const = 0;  ///< ascending
    /// `id`: one of ids().
    virtual ProcessCheckpoint process(LpId id) const = 0;
    virtual void save_state(LpId id, const ByteSink&) const = 0;
};

/// Processes of a checkpoint.
class SavedProcesses {
  public:
    virtual ~SavedProcesses() = default;
    virtual std::vector<LpId> ids() const = 0;  ///< ascending
    /// `id`: one of ids().
    virtual ProcessCheckpoint process(LpId id) const = 0;
    virtual ByteSource state(LpId id) const = 0;
};

/// Takes processes one after the other.
class ProcessTaker {
  public:
    virtual ~ProcessTaker() = default;
    virtual void begin(const ProcessCheckpoint&) = 0;
    /// The next piece of the state of the process that began last.
    virtual void add_state(std::string_view piece) = 0;
};

/// Gives `taker`, which is rank 0's and null elsewhere, the processes of all ranks in the order of their ids, up to the first that cannot be had. An
/// error of `taker`, or of a rank's `local`, is thrown on every rank when all have come this far, so that none waits for
/// ever. Every rank calls it.
void gather_processes(Transport&, const RunningProcesses& local, ProcessTaker* taker);

}  // namespace lookahead
