#include "core/sync/process_checkpoint.h"

#include <algorithm>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <iterator>

#include "core/checkpoint/archive.h"
#include "core/transport/transport.h"

namespace lookahead {

std::vector<ProcessCheckpoint> gather_processes(Transport& transport, const std::vector<ProcessCheckpoint>& local) {
    const auto save = [&](boost::archive::binary_oarchive& archive) { archive << local; };
    const std::vector<std::string> parts = transport.gather(archive_to_bytes(save));
    std::vector<ProcessCheckpoint> all;
    for (const std::string& part : parts) {
        std::vector<ProcessCheckpoint> theirs;
        archive_from_bytes(part, "a rank's part of the checkpoint",
                           [&](boost::archive::binary_iarchive& archive) { archive >> theirs; });
        std::ranges::move(theirs, std::back_inserter(all));
    }
    std::ranges::sort(all, {}, &ProcessCheckpoint::id);
    return all;
}

}  // namespace lookahead
