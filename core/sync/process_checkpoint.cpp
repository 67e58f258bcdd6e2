#include "core/sync/process_checkpoint.h"

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <map>

#include "core/checkpoint/archived.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

template <class T>
T from_bytes(const std::string& bytes) {
    T value;
    read_archived(bytes, "a rank's part of the checkpoint", value);
    return value;
}

/// Sends each process's checkpoint, then its state, which ends with an empty piece. An empty checkpoint replaces one
/// that could not be made; its rank reports the error.
RankError send_processes(Transport& transport, const RunningProcesses& local, const std::vector<LpId>& mine) {
    RankError error;
    for (const LpId id : mine) {
        std::string process;
        if (error.code == ExitCode::done) {
            error = catch_error([&] { process = archived(local.process(id)); });
        }
        transport.send_bytes(0, process);
        if (!process.empty()) {
            error = catch_error(
                [&] { local.save_state(id, [&](std::string_view piece) { transport.send_bytes(0, piece); }); });
            transport.send_bytes(0, {});
        }
    }
    return error;
}

/// Receives everything that the ranks send, even after an error.
RankError receive_processes(Transport& transport, const RunningProcesses& local, const std::map<LpId, int>& rank_of,
                            ProcessTaker& taker) {
    RankError error;
    bool is_all_there = true;
    const auto attempt = [&](auto step) {
        if (is_all_there && error.code == ExitCode::done) { error = catch_error(step); }
    };
    for (const auto& [id, rank] : rank_of) {
        if (rank == 0) {
            attempt([&] {
                taker.begin(local.process(id));
                local.save_state(id, [&](std::string_view piece) { taker.add_state(piece); });
            });
            continue;
        }
        const std::string process = transport.receive_bytes(rank);
        is_all_there &= !process.empty();
        attempt([&] { taker.begin(from_bytes<ProcessCheckpoint>(process)); });
        std::string piece = process.empty() ? "" : transport.receive_bytes(rank);
        for (; !piece.empty(); piece = transport.receive_bytes(rank)) {
            attempt([&] { taker.add_state(piece); });
        }
    }
    return error;
}

std::map<LpId, int> ranks_of(const std::vector<std::string>& ids) {
    std::map<LpId, int> rank_of;
    for (std::size_t rank = 0; rank < ids.size(); ++rank) {
        for (const LpId id : from_bytes<std::vector<LpId>>(ids[rank])) { rank_of[id] = static_cast<int>(rank); }
    }
    return rank_of;
}

}  // namespace

void gather_processes(Transport& transport, const RunningProcesses& local, ProcessTaker* taker) {
    const std::vector<LpId> mine = local.ids();
    const std::vector<std::string> ids = transport.gather(archived(mine));
    const auto error =
        agree_on_error(transport, transport.rank() == 0 ? receive_processes(transport, local, ranks_of(ids), *taker)
                                                        : send_processes(transport, local, mine));
    if (error) { throw_as_its_kind(*error); }
}

}  // namespace lookahead
