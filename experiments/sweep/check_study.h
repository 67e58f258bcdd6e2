#pragma once

#include "experiments/sweep/study.h"

namespace lookahead {

/// What can be said of a study before its first point runs: each axis and metric has a name of its own that can be a column of
/// the index, and each metric's path leads to something that result files have. InputError otherwise, with the nearest path.
void check_study(const Study&);

}  // namespace lookahead
