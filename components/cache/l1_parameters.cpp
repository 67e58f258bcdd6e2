#include "components/cache/l1_parameters.h"

#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

void L1Parameters::check() const {
    if (set_index == "fermi_hash" && sets != 32 && sets != 64) {
        throw ConfigurationError("l1d.set_index = \"fermi_hash\" needs l1d.sets = 32 or 64, not " +
                                 std::to_string(sets) + "; choose \"linear\" for other numbers of sets");
    }
    if (sector_bytes != kSectorBytes && sector_bytes != kLineBytes) {
        throw ConfigurationError("l1d.sector_bytes is " + std::to_string(sector_bytes) + "; it must be 32 or 128");
    }
    if (tags_per_set() > 64) {
        throw ConfigurationError("l1d.ways + l1d.prefetch_ways + l1d.pending_ways = " + std::to_string(tags_per_set()) +
                                 " must be at most 64");
    }
    if (prefetch_ways != 0 && pending_ways != 0) {
        throw ConfigurationError(
            "l1d.pending_ways needs l1d.prefetch_ways = 0: fills of prefetches have no tags of their own");
    }
}

LOOKAHEAD_REGISTER_PARAMETERS(L1Parameters, "l1d", "The L1 data cache of an SM.")

}  // namespace lookahead::gpu
