#include "core/sync/process_checkpoint.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <map>

#include "core/checkpoint/archive.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

template <class T>
std::string to_bytes(const T& value) {
    return archive_to_bytes([&](boost::archive::binary_oarchive& archive) { archive << value; });
}

template <class T>
T from_bytes(const std::string& bytes) {
    T value;
    archive_from_bytes(bytes, "a rank's part of the checkpoint",
                       [&](boost::archive::binary_iarchive& archive) { archive >> value; });
    return value;
}

/// A piece that could not be made is empty: who should have made it tells the error.
RankError send_processes(Transport& transport, const ProcessCheckpoints& local, const std::vector<LpId>& mine) {
    RankError error;
    for (const LpId id : mine) {
        std::string piece;
        if (error.code == ExitCode::done) {
            error = catch_error([&] { piece = to_bytes(local.of(id)); });
        }
        transport.send_bytes(0, piece);
    }
    return error;
}

RankError receive_processes(Transport& transport, const ProcessCheckpoints& local, const std::map<LpId, int>& rank_of,
                            const std::function<void(const ProcessCheckpoint&)>& take) {
    RankError error;
    bool is_all_there = true;
    for (const auto& [id, rank] : rank_of) {
        const std::string theirs = rank == 0 ? std::string() : transport.receive_bytes(rank);
        is_all_there &= rank == 0 || !theirs.empty();
        if (is_all_there && error.code == ExitCode::done) {
            error = catch_error([&] { take(rank == 0 ? local.of(id) : from_bytes<ProcessCheckpoint>(theirs)); });
        }
    }
    return error;
}

std::map<LpId, int> ranks_of(const std::vector<std::string>& ids) {
    std::map<LpId, int> rank_of;
    for (std::size_t rank = 0; rank < ids.size(); ++rank) {
        for (const LpId id : from_bytes<std::vector<LpId>>(ids[rank])) {
            rank_of[id] = static_cast<int>(rank);
        }
    }
    return rank_of;
}

}  // namespace

void gather_processes(Transport& transport, const ProcessCheckpoints& local,
                      const std::function<void(const ProcessCheckpoint&)>& take) {
    const std::vector<LpId> mine = local.ids();
    const std::vector<std::string> ids = transport.gather(to_bytes(mine));
    const auto error =
        agree_on_error(transport, transport.rank() == 0 ? receive_processes(transport, local, ranks_of(ids), take)
                                                        : send_processes(transport, local, mine));
    if (error) {
        throw_as_its_kind(*error);
    }
}

}  // namespace lookahead
