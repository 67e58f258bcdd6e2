#include "components/frontend/finaliser/passes/fit.h"

#include <algorithm>
#include <utility>

#include "components/frontend/finaliser/schedule/schedule.h"
#include "components/frontend/finaliser/spill/spill_predicates.h"
#include "components/frontend/finaliser/spill/spill_registers.h"

namespace lookahead::finaliser {

namespace {

/// Allocates with held sources, as the machine prefers, if that stays within the limit.
Allocation allocate_held(const VirtualKernel& code, const FinaliserOptions& options) {
    if (options.isa.held_sources > 0) {
        const Allocation held = allocate(code, {options.isa.held_sources, ScheduleLimits{}.preferred_registers});
        if (is_within(held, options)) { return held; }
    }
    return allocate(code);
}

Allocation spill_and_allocate(VirtualKernel& code, const FinaliserOptions& options) {
    if (options.schedule) {
        order_for_pressure(code);
        // The new order may keep more predicates at once, such as the carries of additions that were split.
        spill_predicates(code, options.predicate_limit);
    }
    spill_registers(code, options.isa.registers,
                    {.rematerialise = options.rematerialise, .affine_first = options.spill_order == "affine_first"});
    share_spill_slots(code);
    return schedule_and_allocate(code, options);
}

/// Spills registers in both forms of the kernel and takes the one with fewer instructions that move spilled values.
void fit_by_spilling(const std::function<KernelUnderWork(bool rename)>& prepare, const FinaliserOptions& options,
                     FittedKernel& best) {
    for (bool rename : {true, false}) {
        KernelUnderWork work = prepare(rename);
        const Allocation allocation = spill_and_allocate(work.main, options);
        const bool better = !is_within(best.allocation, options) ||
                            spill_instructions(work.main).total() < spill_instructions(best.work.main).total();
        if (!is_within(allocation, options) || !better) {
            if (!is_within(best.allocation, options) && allocation.registers < best.allocation.registers) {
                best.allocation = allocation;  // for the message
            }
            continue;
        }
        best = {std::move(work), allocation};
    }
}

}  // namespace

KernelUnderWork PreparedKernels::get(bool rename, unsigned registers,
                                     const std::function<KernelUnderWork(std::shared_ptr<Findings>)>& prepare) {
    std::optional<KernelUnderWork>& kernel = kernels_[rename];
    if (!kernel || !kernel->same_for.contain(registers)) { kernel = prepare(kernel ? kernel->findings : nullptr); }
    return *kernel;
}

bool is_within(const Allocation& allocation, const FinaliserOptions& options) {
    return allocation.registers <= options.isa.registers && allocation.predicates <= options.predicate_limit;
}

Allocation schedule_and_allocate(VirtualKernel& code, const FinaliserOptions& options) {
    if (!options.schedule) { return allocate_held(code, options); }
    // Alignment may cost more registers than there are values. So lower limits are tried if the allocation exceeds the
    // real one, and the program's own order last.
    for (unsigned eighths : {8U, 7U, 6U, 4U}) {
        ScheduleLimits limits;
        limits.registers = options.isa.registers * eighths / 8;
        limits.predicates = options.predicate_limit;
        limits.preferred_registers = std::min(limits.preferred_registers, limits.registers);
        VirtualKernel scheduled = code;
        schedule(scheduled, limits);
        const Allocation allocation = allocate(scheduled);
        if (!is_within(allocation, options)) { continue; }
        code = std::move(scheduled);
        return options.isa.held_sources > 0 ? allocate_held(code, options) : allocation;
    }
    return allocate_held(code, options);
}

FittedKernel fit(const std::function<KernelUnderWork(bool rename)>& prepare, const FinaliserOptions& options) {
    FittedKernel fitted;
    // Separate rows for values let the scheduler do more; the program's own reuse of registers can need fewer.
    for (bool rename : {true, false}) {
        fitted.work = prepare(rename);
        fitted.allocation = schedule_and_allocate(fitted.work.main, options);
        if (is_within(fitted.allocation, options)) { return fitted; }
        if (!options.schedule) { continue; }
        order_for_pressure(fitted.work.main);
        fitted.allocation = schedule_and_allocate(fitted.work.main, options);
        if (is_within(fitted.allocation, options)) { return fitted; }
    }
    fit_by_spilling(prepare, options, fitted);
    return fitted;
}

Allocation fit_program(VirtualKernel& code, const FinaliserOptions& options) {
    Allocation allocation = schedule_and_allocate(code, options);
    return is_within(allocation, options) ? allocation : spill_and_allocate(code, options);
}

}  // namespace lookahead::finaliser
