#pragma once

#include <string_view>
#include <tuple>

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/frontend/finaliser/code/options.h"
#include "core/component/slot.h"

namespace lookahead::finaliser {

/// Slot "kernel.transform": a mechanism's changes to every kernel while it is finalised. A transform is called at two
/// points between passes (passes/passes.h) and uses one or both. Several transforms can be chosen, joined by `+`: at
/// each point they work in the order of their names.
///
/// Contract:
/// - A kernel is finalised more than once, with other registers or names, until it fits: a transform keeps nothing from
///   one call to the next and does the same to the same code. It names instructions by `origin`, not by place or row.
///   A transform that reads options.isa.registers narrows KernelUnderWork::same_for to the limits for which it does the
///   same, and may keep findings that do not depend on them in KernelUnderWork::findings.
/// - The programs together, with the mechanism's additions to the machine, do what the kernel did alone. The name,
///   the parameters and the launch bounds in the frame stay.
/// - Code stays well formed: rows and predicates come from new_rows and new_predicate, the rows of an operand are in
///   one group, from a multiple of their number (rounded up to a power of two) on, every path ends in an exit, branches
///   lead to blocks.
/// - An inserted instruction has the `origin` of the existing instruction that it serves or replaces (`beside`,
///   `part_of`).
/// - Instructions may be annotated (`annotate`); a tag begins with the mechanism's name and a full stop. Instructions
///   made from an annotated one have the annotation; those that later passes insert for it, such as a spilled operand's
///   load, do not. An annotated instruction without readers is dropped like any other (has_side_effect).
/// - It may make more programs, each a VirtualKernel that began as a copy of the kernel's. They pass all later passes
///   and get separate registers.
/// - Code that cannot be transformed is unchanged; InputError is for programs that the mechanism's machine cannot run.
class KernelTransform {
  public:
    static constexpr SlotDeclaration kSlot{"kernel.transform", "none",
                                           "Changes kernels while they are finalised; several joined by '+'.", true};
    using Arguments = std::tuple<>;

    virtual ~KernelTransform() = default;

    /// Simplified code; every instruction has its own origin. 64-bit operations and their groups are whole, so that a
    /// memory access's address can be followed to its sources; operands are any constants. With isa.pointers = 32
    /// addresses are single rows. Later passes simplify again.
    virtual void before_expansion(KernelUnderWork& kernel, const FinaliserOptions& options) const {
        (void)kernel, (void)options;
    }

    /// Code in the machine's forms, still over unlimited rows and predicates. Inserted code must be in these forms too:
    /// only spilling, scheduling and allocation follow.
    virtual void before_allocation(KernelUnderWork& kernel, const FinaliserOptions& options) const {
        (void)kernel, (void)options;
    }
};

}  // namespace lookahead::finaliser
