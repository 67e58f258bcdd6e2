#pragma once

#include <cstdint>
#include <span>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Makes readers of a copy read the original if it surely still holds the same value: inside a block, and over the
/// whole kernel for values that are written in one place. Constants become operands. The copies themselves stay;
/// remove_dead_code removes unread ones. Returns whether anything changed.
bool propagate_copies(VirtualKernel& kernel);

/// Replaces integer operations of 32 and 64 bits without effect (x + 0, x * 1, x << 0, ...) by copies, and operations
/// on two literals by their result. Exact for all inputs. Returns whether anything changed.
bool fold_constants(VirtualKernel& kernel);

/// Moves the literal of `base + literal` into the offsets of memory accesses, if these are the sum's only readers.
/// Exact: offsets wrap at the width of the base, like the addition. Returns whether anything changed.
bool fold_addresses(VirtualKernel& kernel);

/// Removes instructions whose results are not read; atomics whose old value is not read become reductions. Returns
/// whether anything changed.
bool remove_dead_code(VirtualKernel& kernel);

/// Copies, literals, address sums and dead code, until nothing changes.
void simplify(VirtualKernel& kernel);

/// Turns a branch to a place where the thread only exits into an exit under the same guard: lanes need not meet again
/// to end. Returns whether anything changed.
bool turn_branches_to_exits(VirtualKernel& kernel);

/// Gives values that begin and end inside one block separate rows and predicates if the program uses a register for
/// several values, so that reuse does not restrict the scheduler.
void rename_local_values(VirtualKernel& kernel);
/// The same in these blocks only.
void rename_values_of_blocks(VirtualKernel& kernel, std::span<const std::uint32_t> blocks);

}  // namespace lookahead::finaliser
