#include "components/frontend/finaliser/finalise.h"

#include <fmt/format.h>

#include <algorithm>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/analysis/flow.h"
#include "components/frontend/finaliser/emit/check_executable.h"
#include "components/frontend/finaliser/emit/emit.h"
#include "components/frontend/finaliser/emit/verify.h"
#include "components/frontend/finaliser/layout/module_layout.h"
#include "components/frontend/finaliser/legalise/expand_wide.h"
#include "components/frontend/finaliser/legalise/fuse_products.h"
#include "components/frontend/finaliser/legalise/legalise_operands.h"
#include "components/frontend/finaliser/legalise/narrow_pointers.h"
#include "components/frontend/finaliser/lower/lower.h"
#include "components/frontend/finaliser/schedule/schedule.h"
#include "components/frontend/finaliser/simplify/copy_propagation.h"
#include "components/frontend/finaliser/simplify/dead_code.h"
#include "components/frontend/finaliser/simplify/exit_branches.h"
#include "components/frontend/finaliser/simplify/fold.h"
#include "components/frontend/finaliser/simplify/fold_addresses.h"
#include "components/frontend/finaliser/simplify/rename.h"
#include "components/frontend/finaliser/spill/spill_predicates.h"
#include "components/frontend/finaliser/spill/spill_registers.h"
#include "components/isa/lanes.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

void check_options(const FinaliserOptions& options) {
    if (options.register_limit < 1 || options.register_limit > 255)
        throw ConfigurationError(
            fmt::format("register limit {} is out of range; it must be from 1 to 255", options.register_limit));
    if (options.isa.pointers != 32 && options.isa.pointers != 64)
        throw ConfigurationError(
            fmt::format("isa.pointers = {} is not supported; it is 32 or 64", options.isa.pointers));
    if (options.isa.reserved_registers >= options.register_limit)
        throw ConfigurationError(
            fmt::format("register limit {} leaves none beside the {} reserved ones; it must be higher",
                        options.register_limit, options.isa.reserved_registers));
    if (options.predicate_limit < 1 || options.predicate_limit > isa::kPredicateRegisters)
        throw ConfigurationError(fmt::format("predicate limit {} is out of range; it must be from 1 to {}",
                                             options.predicate_limit, isa::kPredicateRegisters));
}

void simplify(VirtualKernel& kernel) {
    for (bool changed = true; changed;) {
        changed = propagate_copies(kernel);
        changed |= fold_constants(kernel);
        changed |= fold_addresses(kernel);
        changed |= remove_dead_code(kernel);
    }
}

void optimise(VirtualKernel& kernel, bool rename, bool simplifies) {
    turn_branches_to_exits(kernel);
    drop_unreachable_code(kernel);
    if (rename) rename_local_values(kernel);
    if (simplifies) simplify(kernel);
}

bool is_within(const Allocation& allocation, const FinaliserOptions& options) {
    return allocation.registers <= options.register_limit && allocation.predicates <= options.predicate_limit;
}

/// With sources held as the machine likes it best, if that stays within the limit.
Allocation allocate_held(const VirtualKernel& kernel, const FinaliserOptions& options) {
    if (options.isa.held_sources > 0) {
        const Allocation held = allocate(kernel, {options.isa.held_sources, ScheduleLimits{}.preferred_registers});
        if (is_within(held, options)) return held;
    }
    return allocate(kernel);
}

/// Alignment may cost more registers than there are values, so that lower limits are tried when the allocation exceeds
/// the real one, and the program's own order last.
Allocation schedule_and_allocate(VirtualKernel& kernel, const FinaliserOptions& options) {
    if (!options.schedule) return allocate_held(kernel, options);
    for (unsigned eighths : {8U, 7U, 6U, 4U}) {
        ScheduleLimits limits;
        limits.registers = options.register_limit * eighths / 8;
        limits.predicates = options.predicate_limit;
        limits.preferred_registers = std::min(limits.preferred_registers, limits.registers);
        VirtualKernel scheduled = kernel;
        schedule(scheduled, limits);
        const Allocation allocation = allocate(scheduled);
        if (!is_within(allocation, options)) continue;
        kernel = std::move(scheduled);
        return options.isa.held_sources > 0 ? allocate_held(kernel, options) : allocation;
    }
    return allocate_held(kernel, options);
}

/// Whether addresses of the module's variables may be in memory: host programs can ask for those of .global ones, and
/// initialisers can have them.
bool may_hold_addresses(const ptx::Module& module) {
    return std::ranges::any_of(module.variables, [](const ptx::Variable& variable) {
        return variable.space == ptx::StateSpace::global || !variable.relocations.empty();
    });
}

VirtualKernel prepare(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& options,
                      bool rename) {
    VirtualKernel code = lower(module, kernel);
    // What 32-bit pointers need to know of an address is lost where registers are used again for something else.
    optimise(code, rename || options.isa.pointers == 32, options.simplify);
    if (options.isa.pointers == 32) {
        narrow_pointers(code, may_hold_addresses(module));
        if (options.simplify) simplify(code);
    }
    if (options.fuse_products) {
        fuse_products(code, options.isa);
        simplify(code);
    }
    if (options.isa.expand_64bit) {
        expand_wide_operations(code, options.isa);
        simplify(code);
    }
    split_groups(code);
    if (options.isa.single_constant) legalise_operands(code, options.isa);
    spill_predicates(code, options.predicate_limit);
    return code;
}

/// Spills registers in both forms of the kernel and takes the one with fewer instructions that move spilled values.
void spill_and_allocate(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& options,
                        VirtualKernel& best_code, Allocation& best_allocation) {
    for (bool rename : {true, false}) {
        VirtualKernel code = prepare(module, kernel, options, rename);
        if (options.schedule) order_for_pressure(code);
        spill_registers(code, options.register_limit);
        share_spill_slots(code);
        const Allocation allocation = schedule_and_allocate(code, options);
        const bool better = !is_within(best_allocation, options) ||
                            spill_instructions(code).total() < spill_instructions(best_code).total();
        if (!is_within(allocation, options) || !better) {
            if (!is_within(best_allocation, options) && allocation.registers < best_allocation.registers)
                best_allocation = allocation;  // for the message
            continue;
        }
        best_code = std::move(code);
        best_allocation = allocation;
    }
}

void check_limits(const isa::Kernel& frame, std::uint32_t line, const Allocation& allocation,
                  const FinaliserOptions& options) {
    if (allocation.registers > options.register_limit)
        throw InputError(
            fmt::format("{}:{}: kernel {} needs {} registers at once, also with all other values in local memory, and "
                        "the limit is {}; raise the limit",
                        frame.source_file, line, frame.name, allocation.registers + options.isa.reserved_registers,
                        options.register_limit + options.isa.reserved_registers));
    if (allocation.predicates > options.predicate_limit)
        throw InputError(fmt::format("{}:{}: kernel {} needs {} predicate registers at once and there are {}",
                                     frame.source_file, line, frame.name, allocation.predicates,
                                     options.predicate_limit));
}

/// The most registers a thread that the kernel's own bounds allow (.maxnreg, and .maxntid or .reqntid where the SM's
/// registers are known); the options' limit if that is less.
unsigned limit_of(const ptx::LaunchBounds& bounds, const FinaliserOptions& options) {
    unsigned limit = options.register_limit;
    if (bounds.max_registers) limit = std::min(limit, std::max(*bounds.max_registers, 1U));
    const auto& threads = bounds.required_threads ? bounds.required_threads : bounds.max_threads;
    if (!threads || options.registers_per_sm == 0) return limit;
    const std::uint64_t count = std::uint64_t{(*threads)[0]} * (*threads)[1] * (*threads)[2];
    const std::uint64_t warps = std::max<std::uint64_t>((count + isa::kWarpSize - 1) / isa::kWarpSize, 1);
    const std::uint64_t of_warp = options.registers_per_sm / warps / options.register_unit * options.register_unit;
    return static_cast<unsigned>(std::min<std::uint64_t>(limit, of_warp / isa::kWarpSize));
}

isa::Kernel finalise_within(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& given) {
    FinaliserOptions options = given;
    options.register_limit -= given.isa.reserved_registers;
    VirtualKernel code;
    Allocation allocation;
    // Values of their own let the scheduler do more; the program's own reuse of registers can need fewer.
    for (bool rename : {true, false}) {
        code = prepare(module, kernel, options, rename);
        allocation = schedule_and_allocate(code, options);
        if (is_within(allocation, options)) break;
        if (!options.schedule) continue;
        order_for_pressure(code);
        allocation = schedule_and_allocate(code, options);
        if (is_within(allocation, options)) break;
    }
    if (!is_within(allocation, options)) spill_and_allocate(module, kernel, options, code, allocation);
    check_limits(code.frame, kernel.line, allocation, options);
    isa::Kernel result = emit(code, allocation);
    result.registers += given.isa.reserved_registers;
    verify(result);
    check_executable(kernel, result);
    return result;
}

}  // namespace

isa::Kernel finalise(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& given) {
    check_options(given);
    if (!kernel.problem.empty()) throw InputError(kernel.problem);
    isa::Kernel result = finalise_within(module, kernel, given);
    FinaliserOptions bounded = given;
    bounded.register_limit = limit_of(kernel.bounds, given);
    if (result.registers <= bounded.register_limit || bounded.register_limit <= given.isa.reserved_registers)
        return result;
    try {
        return finalise_within(module, kernel, bounded);
    } catch (const InputError&) {
        return result;  // fewer cannot be had: a launch of CTAs that do not fit says so
    }
}

namespace {

/// What stands for a kernel that cannot be launched: its parameters, and an end.
isa::Kernel refused_kernel(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& options,
                           const std::string& refusal) {
    ptx::Function empty;
    empty.name = kernel.name;
    empty.is_kernel = empty.is_defined = true;
    empty.parameters = kernel.parameters;
    empty.parameter_bytes = kernel.parameter_bytes;
    empty.bounds = kernel.bounds;
    empty.line = kernel.line;
    isa::Kernel result = finalise(module, empty, options);
    result.refusal = refusal;
    return result;
}

}  // namespace

isa::KernelTable finalise_module(const ptx::Module& module, const FinaliserOptions& options) {
    isa::KernelTable table;
    table.image = module_image(module);
    if (options.isa.pointers == 32) table.reach = isa::kPointerReach;
    for (const ptx::Function& function : module.functions)
        if (function.is_kernel && function.is_defined) try {
                table.push_back(finalise(module, function, options));
            } catch (const InputError& error) {
                if (module.refusal == ptx::Refusal::of_module) throw;
                table.push_back(refused_kernel(module, function, options, error.what()));
            }
    return table;
}

}  // namespace lookahead::finaliser
