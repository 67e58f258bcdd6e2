#pragma once

#include "components/dram/dram_scheduler.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

template <class Archive>
void serialize(Archive& archive, DramRequest& request, unsigned) {
    archive& request.row& request.bank& request.tag& request.columns& request.arrival& request.age& request.write;
}

inline void hash(StateHasher& hasher, const DramRequest& request) {
    hasher.add(request.row);
    hasher.add(std::uint64_t{request.bank} << 32 | request.tag);
    hasher.add(static_cast<std::uint64_t>(request.arrival));
    hasher.add(request.columns);
    hasher.add(request.age << 1 | (request.write ? 1 : 0));
}

}  // namespace lookahead::gpu
