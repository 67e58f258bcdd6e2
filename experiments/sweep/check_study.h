#pragma once

#include "experiments/sweep/study.h"

namespace lookahead {

/// Checks a study before its first point runs: each axis and metric has a unique name that can be a column of the
/// index, and each metric's path exists in result files. InputError otherwise, with the nearest path.
void check_study(const Study&);

}  // namespace lookahead
