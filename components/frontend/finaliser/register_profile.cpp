#include "components/frontend/finaliser/register_profile.h"

#include <algorithm>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/spill/spill_registers.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "core/text/readable_name.h"

namespace lookahead::finaliser {

namespace {

RegistersAtLimit at_limit(const ptx::Module& module, const ptx::Function& kernel, FinaliserOptions options,
                          unsigned limit, PreparedKernels& prepared) {
    options.isa.registers = limit;
    if (options.tell) {
        options.tell(fmt::format("finalising kernel {} for {} registers a thread", readable_name(kernel.name), limit));
    }
    const isa::Kernel finalised = finalise(module, kernel, options, prepared);
    const SpillInstructions spills = spill_instructions(finalised);
    return {limit,        finalised.registers, finalised.spill_bytes,
            spills.loads, spills.stores,       static_cast<std::uint32_t>(finalised.code.size())};
}

}  // namespace

RegisterProfile profile_registers(const ptx::Module& module, const ptx::Function& kernel,
                                  const FinaliserOptions& options, PreparedKernels& prepared) {
    RegisterProfile profile;
    profile.limits.push_back(at_limit(module, kernel, options, options.isa.registers, prepared));
    profile.preferred = profile.base = profile.least = profile.limits.back().registers;
    // A limit above what the kernel uses changes nothing, so the next limit is one less than its use.
    for (unsigned limit = profile.preferred; limit-- > 1;) {
        try {
            profile.limits.push_back(at_limit(module, kernel, options, limit, prepared));
        } catch (const RegisterLimitError&) {
            break;  // an instruction needs more
        }
        const RegistersAtLimit& now = profile.limits.back();
        limit = std::min(limit, now.registers);
        profile.least = now.registers;
        if (now.spill_bytes == 0) { profile.base = now.registers; }
    }
    return profile;
}

unsigned limit_at_share(const RegisterProfile& profile, double share) {
    return std::max(static_cast<unsigned>(share * profile.base + 0.5), profile.least);
}

}  // namespace lookahead::finaliser
