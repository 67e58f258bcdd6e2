#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/archive.h"
#include "core/message/message.h"

namespace lookahead {

class Transport;

/// A logical process at an epoch, without its state. From it and the state another run of the same model can go on,
/// with the process on any rank.
struct ProcessCheckpoint {
    LpId id = 0;
    std::string messages;            ///< messages that wait for the process, concatenated, in any order
    std::uint64_t traffic_hash = 0;  ///< hash of the messages that it has handled
    std::uint64_t state_hash = 0;    ///< hash of these and of its state; loading must give the same hash

    void serialize(auto& archive, unsigned) { archive& id& messages& traffic_hash& state_hash; }
};

// A state (LpBinding::fields) goes in pieces from the process to the file and back: it may be larger than the memory
// that a rank has left.

/// Running processes. The functions return their state at the time of the call.
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

/// Receives the processes of all ranks, one after another.
class ProcessTaker {
  public:
    virtual ~ProcessTaker() = default;
    virtual void begin(const ProcessCheckpoint&) = 0;
    /// The next piece of the state of the last process that began.
    virtual void add_state(std::string_view piece) = 0;
};

/// Passes the processes of all ranks to `taker` in the order of their ids, up to the first that cannot be read. `taker`
/// is on rank 0 and null elsewhere. An error of `taker`, or of a rank's `local`, is thrown on every rank once all ranks
/// are done, so that no rank waits for ever. Every rank calls it.
void gather_processes(Transport&, const RunningProcesses& local, ProcessTaker* taker);

}  // namespace lookahead
