#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/message/message.h"

namespace lookahead {

class Transport;

/// All of a logical process at an epoch: enough for another run of the same model, on any rank, to go on from there.
struct ProcessCheckpoint {
    LpId id = 0;
    std::string state;               ///< LpBinding::save
    std::string messages;            ///< that wait for it, one behind the other, in any order
    std::uint64_t traffic_hash = 0;  ///< of the messages that it has handled
    std::uint64_t state_hash = 0;    ///< of these and its state: who loads it must come to the same

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& id& state& messages& traffic_hash& state_hash;
    }
};

/// Checkpoints of processes, each made or read when it is asked for: all together may be more than a rank's memory holds.
class ProcessCheckpoints {
  public:
    virtual ~ProcessCheckpoints() = default;
    virtual std::vector<LpId> ids() const = 0;  ///< ascending
    /// `id`: one of ids().
    virtual ProcessCheckpoint of(LpId id) const = 0;
};

/// Gives `take`, on rank 0, the processes of all ranks in the order of their ids, up to the first that cannot be had. An
/// error of `take`, or of a rank's `local`, is thrown on every rank when all have come this far, so that none waits for
/// ever. Every rank calls it.
void gather_processes(Transport& transport, const ProcessCheckpoints& local,
                      const std::function<void(const ProcessCheckpoint&)>& take);

}  // namespace lookahead
