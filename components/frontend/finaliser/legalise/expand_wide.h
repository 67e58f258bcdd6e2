#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Puts 32-bit instructions in the place of 64-bit integer ones, as machines with 32-bit integer units do: sums as two
/// with a carry between them, comparisons as two, shifts as a funnel shift and a plain one. What stays whole: loads,
/// stores and atomics, f64, conversions to and from floats, div, rem, bfe, bfi, bfind, mad.hi and match, which stand for
/// NVIDIA's own long sequences or are single instructions there, and products of 32-bit factors if
/// `options.wide_multiply`.
void expand_wide_operations(VirtualKernel& kernel, const IsaOptions& options);

/// Rows of a group that no instruction takes together any more become groups of their own.
void split_groups(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
