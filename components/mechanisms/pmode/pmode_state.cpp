// State, auditing, statistics.

#include "components/mechanisms/pmode/pmode.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(PmodeCounters, "pmode", "Warped pre-execution on an SM.")

void Pmode::audit(Audit& audit, const std::string& sm) const {
    audit.leak(sm, "renaming registers that are not free", pool_.size() - pool_.free());
    audit.leak(sm, "pre-executed instructions under way", operations_.size() - free_operations_.size());
    audit.leak(sm, "warps in pre-execution", pre_executing_.count());
    audit.balance(sm, "reusable results", counters_.queued, counters_.reused + counters_.flushed);
}

void Pmode::visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const {
    visit(visitor, sm, "pmode", counters_);
}

/// Which follow from the streams' states.
void Pmode::find_masks() {
    masks_.fill(0);
    for (unsigned context = 0; context < streams_.size(); ++context) {
        masks_[static_cast<unsigned>(streams_[context].state)] |= context_bit(context);
    }
}

void Pmode::fields(StateArchive& archive) {
    archive& streams_& pre_executing_& fetch_under_way_& map_.rows();
    archive& pending_.words() & poison_.words() & redefined_.words();
    archive& writers_& operations_& free_operations_& pool_& last_& pool_charged_& counters_;
    if (archive.loading()) {
        find_masks();
    }
}

}  // namespace lookahead::gpu
