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
    streams_.audit(audit, sm, "warps in pre-execution");
    audit.balance(sm, "reusable results", counters_.queued, counters_.reused + counters_.flushed);
}

void Pmode::visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const {
    visit(visitor, sm, "pmode", counters_);
}

void Pmode::fields(StateArchive& archive) {
    archive& warps_& writers_& operations_& free_operations_& pool_& pool_charged_& counters_;
    streams_.fields(archive);
}

}  // namespace lookahead::gpu
