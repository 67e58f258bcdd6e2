#pragma once

#include <string_view>
#include <tuple>

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/frontend/finaliser/code/options.h"
#include "core/component/slot.h"

namespace lookahead::finaliser {

/// Slot "kernel.transform": what a mechanism does to every kernel while it is finalised. There are two points, between
/// passes (passes/passes.h); a transform uses one or both. Several can be chosen, joined by `+`: at each point they work
/// in the order in which they are named.
///
/// Contract:
/// - A kernel is finalised more than once, with other registers or names, until it fits: a transform keeps nothing from
///   one call to the next and does the same to the same code. It names what it finds by `origin`, not by place or row.
///   One that looks at options.isa.registers narrows KernelUnderWork::same_for to the limits for which it does the same,
///   and may keep in KernelUnderWork::findings what it finds out without looking at them.
/// - What the programs do together, with what the mechanism adds to the machine, is what the kernel did alone. The name,
///   the parameters and the launch bounds in the frame stay.
/// - Code stays well formed: rows and predicates come from new_rows and new_predicate, operands of several rows are the
///   rows of one group at a multiple of their rounded-up number, every path ends in an exit, branches lead to blocks.
/// - An instruction that it puts in has the `origin` of one that there is, for which it stands (`beside`, `part_of`).
/// - Instructions may be annotated (`annotate`); a tag begins with the mechanism's name and a full stop. What an annotated
///   instruction becomes has the annotation; what later passes put beside it, such as a spilled operand's load, has not.
///   An annotated instruction of which nobody needs anything is dropped as any other (has_side_effect).
/// - More programs may be made, each a VirtualKernel that began as a copy of the kernel's. They pass all later passes and
///   get registers of their own.
/// - What cannot be transformed stays as it is; InputError is for programs that the mechanism's machine cannot run.
class KernelTransform {
  public:
    virtual ~KernelTransform() = default;

    /// Simplified code, every instruction with an origin of its own. 64-bit operations and their groups are whole, so
    /// that a memory access's address can be followed to what it is computed from; operands are any constants. With
    /// isa.pointers = 32 addresses are single rows. What comes behind simplifies again.
    virtual void before_expansion(KernelUnderWork& kernel, const FinaliserOptions& options) const {
        (void)kernel, (void)options;
    }

    /// Code in the machine's forms, still over unlimited rows and predicates. What is put in must be in these forms too:
    /// nothing but spilling, scheduling and allocation comes behind.
    virtual void before_allocation(KernelUnderWork& kernel, const FinaliserOptions& options) const {
        (void)kernel, (void)options;
    }
};

}  // namespace lookahead::finaliser

template <>
struct lookahead::SlotTraits<lookahead::finaliser::KernelTransform> {
    static constexpr std::string_view name = "kernel.transform";
    static constexpr std::string_view default_variant = "none";
    static constexpr bool takes_several = true;
    static constexpr std::string_view description = "Changes kernels while they are finalised; several joined by '+'.";
    using Arguments = std::tuple<>;
};
