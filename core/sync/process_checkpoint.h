#pragma once

#include <cstdint>
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

/// Those of all ranks on rank 0, in the order of their ids; nothing on the others.
std::vector<ProcessCheckpoint> gather_processes(Transport& transport, const std::vector<ProcessCheckpoint>& local);

}  // namespace lookahead
