#include "components/frontend/finaliser/passes/passes.h"

#include <array>

#include "components/frontend/finaliser/analysis/flow.h"
#include "components/frontend/finaliser/legalise/legalise.h"
#include "components/frontend/finaliser/simplify/simplify.h"
#include "components/frontend/finaliser/spill/spill_predicates.h"
#include "components/frontend/finaliser/transform/kernel_transform.h"

namespace lookahead::finaliser {

namespace {

template <void (*kRun)(VirtualKernel& code, const PassContext& context)>
void each(KernelUnderWork& kernel, const PassContext& context) {
    kRun(kernel.main, context);
    for (VirtualProgram& program : kernel.programs) { kRun(program.code, context); }
}
/// The same for the kernel and those programs whose registers hold words of lanes.
template <void (*kRun)(VirtualKernel& code, const PassContext& context)>
void each_with_lanes(KernelUnderWork& kernel, const PassContext& context) {
    kRun(kernel.main, context);
    for (VirtualProgram& program : kernel.programs) {
        if (program.has_lanes) { kRun(program.code, context); }
    }
}
template <auto kRun>
void plain(VirtualKernel& code, const PassContext&) {
    kRun(code);
}

bool always(const PassContext&) {
    return true;
}
bool has_transform(const PassContext& context) {
    return context.options.transform != nullptr;
}
bool has_narrow_pointers(const PassContext& context) {
    return context.options.isa.pointers == 32;
}

void narrow(VirtualKernel& code, const PassContext& context) {
    narrow_pointers(code, context.variables_in_memory);
}
void fuse(VirtualKernel& code, const PassContext& context) {
    fuse_products(code, context.options.isa);
}
void expand(VirtualKernel& code, const PassContext& context) {
    expand_wide_operations(code, context.options.isa);
}
void legalise(VirtualKernel& code, const PassContext& context) {
    legalise_operands(code, context.options.isa);
}
void limit_predicates(VirtualKernel& code, const PassContext& context) {
    spill_predicates(code, context.options.predicate_limit);
}

constexpr std::string_view kSimplify = "Propagates copies and constants, folds address sums, drops unread results.";

constexpr std::array kPasses = {
    Pass{"exits", "Branches that only lead to an exit become exits.", always, each<plain<turn_branches_to_exits>>},
    Pass{"reachable", "Unreachable code is removed.", always, each<plain<drop_unreachable_code>>},
    // 32-bit pointers need facts about addresses that are lost when a register is reused.
    Pass{"rename", "Values inside a block get separate rows.",
         [](const PassContext& context) { return context.rename || has_narrow_pointers(context); },
         each<plain<rename_local_values>>},
    Pass{"simplify", kSimplify, [](const PassContext& context) { return context.options.simplify; },
         each<plain<simplify>>},
    Pass{"narrow", "Addresses become single rows, their high words properties of the accesses.", has_narrow_pointers,
         each<narrow>},
    Pass{"simplify-narrowed", kSimplify,
         [](const PassContext& context) { return has_narrow_pointers(context) && context.options.simplify; },
         each<plain<simplify>>},
    Pass{"fuse", "An integer product and the sum that reads it become one instruction.",
         [](const PassContext& context) { return context.options.fuse_products; }, each<fuse>},
    Pass{"simplify-fused", kSimplify, [](const PassContext& context) { return context.options.fuse_products; },
         each<plain<simplify>>},
    Pass{"transform-early", "kernel.transform, while 64-bit operations are whole.", has_transform,
         [](KernelUnderWork& kernel, const PassContext& context) {
             context.options.transform->before_expansion(kernel, context.options);
         }},
    Pass{"simplify-transformed", kSimplify,
         [](const PassContext& context) { return has_transform(context) && context.options.simplify; },
         each<plain<simplify>>},
    Pass{"expand", "64-bit integer operations become sequences of 32-bit ones.",
         [](const PassContext& context) { return context.options.isa.expand_64bit; }, each_with_lanes<expand>},
    Pass{"simplify-expanded", kSimplify, [](const PassContext& context) { return context.options.isa.expand_64bit; },
         each<plain<simplify>>},
    Pass{"split", "Groups of rows that no instruction needs together are split.", always, each<plain<split_groups>>},
    Pass{"legalise", "Constants that instructions cannot take as operands go to rows.",
         [](const PassContext& context) { return context.options.isa.single_constant; }, each_with_lanes<legalise>},
    Pass{"transform-late", "kernel.transform, before registers are allocated.", has_transform,
         [](KernelUnderWork& kernel, const PassContext& context) {
             context.options.transform->before_allocation(kernel, context.options);
         }},
    Pass{"predicates", "Predicates beyond the limit go to rows.", always, each<limit_predicates>},
};

}  // namespace

std::span<const Pass> passes() {
    return kPasses;
}

void run_passes(KernelUnderWork& kernel, const PassContext& context) {
    for (const Pass& pass : kPasses) {
        if (pass.is_wanted(context)) { pass.run(kernel, context); }
    }
}

}  // namespace lookahead::finaliser
