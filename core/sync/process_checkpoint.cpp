#include "core/sync/process_checkpoint.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <exception>
#include <map>

#include "core/checkpoint/archive.h"
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

void receive_processes(Transport& transport, const ProcessCheckpoints& local, const std::vector<std::string>& ids,
                       const std::function<void(const ProcessCheckpoint&)>& take) {
    std::map<LpId, int> rank_of;
    for (std::size_t rank = 0; rank < ids.size(); ++rank) {
        for (const LpId id : from_bytes<std::vector<LpId>>(ids[rank])) {
            rank_of[id] = static_cast<int>(rank);
        }
    }
    std::exception_ptr error;
    for (const auto& [id, rank] : rank_of) {
        const std::string theirs = rank == 0 ? std::string() : transport.receive_bytes(rank);
        try {
            if (!error) {
                take(rank == 0 ? local.of(id) : from_bytes<ProcessCheckpoint>(theirs));
            }
        } catch (const std::exception&) {
            error = std::current_exception();
        }
    }
    if (error) {
        std::rethrow_exception(error);
    }
}

}  // namespace

void gather_processes(Transport& transport, const ProcessCheckpoints& local,
                      const std::function<void(const ProcessCheckpoint&)>& take) {
    const std::vector<LpId> mine = local.ids();
    const std::vector<std::string> ids = transport.gather(to_bytes(mine));
    if (transport.rank() == 0) {
        receive_processes(transport, local, ids, take);
        return;
    }
    for (const LpId id : mine) {
        transport.send_bytes(0, to_bytes(local.of(id)));
    }
}

}  // namespace lookahead
