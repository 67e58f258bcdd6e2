#pragma once

#include <string_view>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Moves the series of `kind` from record.series to record.stalls: its counters become causes, and the components of
/// one process ("sm3.scheduler0", "sm3.scheduler1") are added up under that process's name.
void separate_stalls(RunRecord& record, std::string_view kind);

}  // namespace lookahead
