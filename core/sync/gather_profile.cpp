#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "core/checkpoint/archived.h"
#include "core/error/error.h"
#include "core/sync/process_profile.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

struct RankProfile {
    std::vector<LpId> ids;
    std::vector<ProcessLoad> loads;
    WindowLog windows;

    void serialize(auto& archive, unsigned) {
        archive& ids;
        loads.resize(ids.size());
        for (ProcessLoad& load : loads) { archive& load.seconds& load.advances; }
        archive& windows.start& windows.nanoseconds& windows.messages;
    }
};

void add_rank(RunProfile& profile, const RankProfile& part, int rank) {
    const std::size_t processes = profile.rank.size();
    const std::size_t windows = part.windows.start.size();
    WindowLog& all = profile.windows;
    if (rank == 0) {
        all.start = part.windows.start;
        all.nanoseconds.assign(windows * processes, 0);
        all.messages.assign(part.windows.messages.empty() ? 0 : processes * processes, 0);
    }
    LOOKAHEAD_ASSERT(all.start.size() == windows, "rank {} saw other windows than rank 0", rank);
    for (std::size_t w = 0; w < windows; ++w) { all.start[w] = std::min(all.start[w], part.windows.start[w]); }
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const LpId lp = part.ids[i];
        profile.rank[lp] = rank;
        profile.loads[lp] = part.loads[i];
        for (std::size_t w = 0; w < windows; ++w) {
            all.nanoseconds[w * processes + lp] = part.windows.nanoseconds[w * part.ids.size() + i];
        }
        for (std::size_t sender = 0; sender < (part.windows.messages.empty() ? 0 : processes); ++sender) {
            all.messages[sender * processes + lp] = part.windows.messages[sender * part.ids.size() + i];
        }
    }
}

}  // namespace

RunProfile gather_profile(Transport& transport, const ProcessProfile& mine, std::size_t processes) {
    const std::vector<std::string> parts =
        transport.gather(archived(RankProfile{mine.ids(), mine.loads(), mine.log()}));
    RunProfile profile;
    if (transport.rank() != 0) { return profile; }
    profile.rank.assign(processes, 0);
    profile.loads.assign(processes, {});
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        RankProfile part;
        read_archived(parts[rank], fmt::format("the profile of rank {}", rank), part);
        add_rank(profile, part, static_cast<int>(rank));
    }
    return profile;
}

}  // namespace lookahead
