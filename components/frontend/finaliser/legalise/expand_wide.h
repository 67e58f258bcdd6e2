#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Replaces 64-bit integer instructions by 32-bit ones, for machines with 32-bit integer units: sums by two with a
/// carry between them, comparisons by two, shifts by a funnel shift and a plain one. These stay whole: loads, stores
/// and atomics, f64, conversions to and from floats, div, rem, bfe, bfi, bfind, mad.hi and match, which represent
/// NVIDIA's long sequences or are single instructions there, and products of 32-bit factors if `options.wide_multiply`.
void expand_wide_operations(VirtualKernel& kernel, const IsaOptions& options);

/// Splits rows of a group that no instruction uses together any more into separate groups.
void split_groups(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
