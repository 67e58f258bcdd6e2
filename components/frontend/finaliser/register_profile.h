#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/passes/fit.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// A kernel at one register limit.
struct RegistersAtLimit {
    unsigned limit = 0;
    std::uint32_t registers = 0;  ///< used
    std::uint32_t spill_bytes = 0;
    std::uint32_t spill_loads = 0;   ///< instructions
    std::uint32_t spill_stores = 0;  ///< likewise
    std::uint32_t instructions = 0;  ///< in all
};

struct RegisterProfile {
    unsigned preferred = 0;                ///< with the limit of the options: r_default
    unsigned base = 0;                     ///< the least without spilled values: r_base
    unsigned least = 0;                    ///< the least that can be allocated at all
    std::vector<RegistersAtLimit> limits;  ///< from `preferred` down to `least`, at each change of the kernel
};

/// Finalises the kernel at falling limits. Throws the errors of `finalise` at the options' own limit. `prepared` is the
/// kernel's and can be used afterwards to finalise it at one limit.
RegisterProfile profile_registers(const ptx::Module& module, const ptx::Function& kernel,
                                  const FinaliserOptions& options, PreparedKernels& prepared);

inline RegisterProfile profile_registers(const ptx::Module& module, const ptx::Function& kernel,
                                         const FinaliserOptions& options) {
    PreparedKernels prepared;
    return profile_registers(module, kernel, options, prepared);
}

/// This share (above 0, at most 1) of r_base, rounded to the nearest register, halves up; not below the least.
unsigned limit_at_share(const RegisterProfile& profile, double share);

}  // namespace lookahead::finaliser
