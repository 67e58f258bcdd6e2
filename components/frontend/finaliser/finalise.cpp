#include "components/frontend/finaliser/finalise.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "components/frontend/finaliser/emit/emit.h"
#include "components/frontend/finaliser/layout/layout.h"
#include "components/frontend/finaliser/lower/lower.h"
#include "components/frontend/finaliser/passes/passes.h"
#include "components/frontend/finaliser/register_profile.h"
#include "components/isa/lanes.h"

namespace lookahead::finaliser {

namespace {

void check_options(const FinaliserOptions& options) {
    if (options.isa.registers < 1 || options.isa.registers > kMostRegisters) {
        throw ConfigurationError("register limit {} is out of range; it must be from 1 to {}", options.isa.registers,
                                 kMostRegisters);
    }
    if (options.spill_order != "cost" && options.spill_order != "affine_first") {
        throw ConfigurationError("spill order \"{}\" is not known; it must be \"cost\" or \"affine_first\"",
                                 options.spill_order);
    }
    if (options.isa.pointers != 32 && options.isa.pointers != 64) {
        throw ConfigurationError("isa.pointers = {} is not supported; it must be 32 or 64", options.isa.pointers);
    }
    if (options.isa.reserved_registers >= options.isa.registers) {
        throw ConfigurationError("register limit {} leaves none beside the {} reserved ones; it must be higher",
                                 options.isa.registers, options.isa.reserved_registers);
    }
    if (options.predicate_limit < 1 || options.predicate_limit > isa::kPredicateRegisters) {
        throw ConfigurationError("predicate limit {} is out of range; it must be from 1 to {}", options.predicate_limit,
                                 isa::kPredicateRegisters);
    }
}

/// Whether addresses of the module's variables may be in memory: host programs can query those of .global variables,
/// and initialisers can have them.
bool may_hold_addresses(const ptx::Module& module) {
    return std::ranges::any_of(module.variables, [](const ptx::Variable& variable) {
        return variable.space == ptx::StateSpace::global || !variable.relocations.empty();
    });
}

/// Checks the limits: the configuration's, or the kernel's own if those are lower.
void check_limits(const isa::KernelFrame& frame, std::uint32_t line, const Allocation& allocation,
                  const FinaliserOptions& options) {
    if (allocation.registers > options.isa.registers) {
        throw RegisterLimitError(
            fmt::format("{}:{}: kernel {} needs {} registers at once, even with all other values in local memory, and "
                        "the limit is {}; raise the limit",
                        frame.source_file, line, frame.name, allocation.registers + options.isa.reserved_registers,
                        options.isa.registers + options.isa.reserved_registers));
    }
    if (allocation.predicates > options.predicate_limit) {
        throw RegisterLimitError(fmt::format("{}:{}: kernel {} needs {} predicate registers at once and there are {}",
                                             frame.source_file, line, frame.name, allocation.predicates,
                                             options.predicate_limit));
    }
}

/// The most registers per thread that the kernel's own bounds allow (.maxnreg, and .maxntid or .reqntid if the SM's
/// registers are known), or the options' limit if that is less.
unsigned limit_of(const ptx::LaunchBounds& bounds, const FinaliserOptions& options) {
    unsigned limit = options.isa.registers;
    if (bounds.max_registers) { limit = std::min(limit, std::max(*bounds.max_registers, 1U)); }
    const auto& threads = bounds.required_threads ? bounds.required_threads : bounds.max_threads;
    if (!threads || options.registers_per_sm == 0) { return limit; }
    const std::uint64_t count = std::uint64_t{(*threads)[0]} * (*threads)[1] * (*threads)[2];
    const std::uint64_t warps = std::max<std::uint64_t>((count + isa::kWarpSize - 1) / isa::kWarpSize, 1);
    const std::uint64_t of_warp = options.registers_per_sm / warps / options.register_unit * options.register_unit;
    return static_cast<unsigned>(std::min<std::uint64_t>(limit, of_warp / isa::kWarpSize));
}

isa::Kernel emit_checked(const ptx::Function& function, const VirtualKernel& code, const Allocation& allocation,
                         const FinaliserOptions& options) {
    check_limits(code.frame, function.line, allocation, options);
    isa::Kernel result = emit(code, allocation);
    result.registers += options.isa.reserved_registers;
    verify(result);
    check_executable(function, result);
    return result;
}

/// Registers of a program without lanes belong to no thread: the limit per thread does not apply, and they cannot be
/// spilled to local memory.
Allocation fit_without_lanes(const ptx::Function& function, VirtualProgram& program, FinaliserOptions& options) {
    options.isa.registers = kMostRegisters - options.isa.reserved_registers;
    Allocation allocation = schedule_and_allocate(program.code, options);
    if (allocation.registers > options.isa.registers) {
        throw InputError(
            "{}:{}: kernel {} needs {} registers at once in its {} program, whose values cannot "
            "be kept in local memory, and there are {}; kernel.transform = none leaves it whole",
            program.code.frame.source_file, function.line, program.code.frame.name, allocation.registers, program.name,
            options.isa.registers);
    }
    return allocation;
}

/// Spilled values of a further program are after the kernel's own local memory.
void add_program(isa::Kernel& kernel, const ptx::Function& function, VirtualProgram program, FinaliserOptions options) {
    program.code.frame.local_bytes = kernel.local_bytes;
    program.code.frame.spill_bytes = 0;
    const Allocation allocation =
        program.has_lanes ? fit_program(program.code, options) : fit_without_lanes(function, program, options);
    append_program(kernel, program.name, emit_checked(function, program.code, allocation, options));
}

isa::Kernel finalise_within(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& given,
                            PreparedKernels& prepared) {
    FinaliserOptions options = given;
    options.isa.registers -= given.isa.reserved_registers;
    const bool variables_in_memory = may_hold_addresses(module);
    const auto prepare = [&](bool rename) {
        return prepared.get(rename, options.isa.registers, [&](std::shared_ptr<Findings> findings) {
            KernelUnderWork work{lower(module, kernel, options.keep_cvta), {}, {}, std::move(findings)};
            run_passes(work, {options, rename, variables_in_memory});
            return work;
        });
    };
    FittedKernel fitted = fit(prepare, options);
    isa::Kernel result = emit_checked(kernel, fitted.work.main, fitted.allocation, options);
    for (VirtualProgram& program : fitted.work.programs) { add_program(result, kernel, std::move(program), options); }
    return result;
}

}  // namespace

isa::Kernel finalise(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& options) {
    PreparedKernels prepared;
    return finalise(module, kernel, options, prepared);
}

isa::Kernel finalise(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& given,
                     PreparedKernels& prepared) {
    check_options(given);
    if (!kernel.problem.empty()) { throw InputError(kernel.problem); }
    isa::Kernel result = finalise_within(module, kernel, given, prepared);
    FinaliserOptions bounded = given;
    bounded.isa.registers = limit_of(kernel.bounds, given);
    if (result.registers <= bounded.isa.registers || bounded.isa.registers <= given.isa.reserved_registers) {
        return result;
    }
    try {
        return finalise_within(module, kernel, bounded, prepared);
    } catch (const RegisterLimitError&) {
        return result;  // fewer are impossible: a launch of CTAs that do not fit reports it
    }
}

namespace {

/// Represents a kernel that cannot be launched: its parameters, and an exit.
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
    if (options.isa.pointers == 32) { table.reach = isa::kPointerReach; }
    for (const ptx::Function& function : module.functions) {
        if (function.is_kernel && function.is_defined && !function.launch_problem.empty()) {
            table.push_back(refused_kernel(module, function, options, function.launch_problem));
        } else if (function.is_kernel && function.is_defined) {
            try {
                FinaliserOptions limits = options;
                PreparedKernels prepared;
                if (options.register_share > 0) {
                    const RegisterProfile profile = profile_registers(module, function, options, prepared);
                    limits.isa.registers = limit_at_share(profile, options.register_share);
                }
                table.push_back(finalise(module, function, limits, prepared));
            } catch (const InputError& error) {
                if (module.refusal == ptx::Refusal::of_module) { throw; }
                table.push_back(refused_kernel(module, function, options, error.what()));
            }
        }
    }
    return table;
}

}  // namespace lookahead::finaliser
