#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/kernel.h"
#include "experiments/profile/instruction_roles.h"

namespace lookahead::profile {

/// The static analysis of a kernel's own code, by instruction.
struct KernelAnalysis {
    explicit KernelAnalysis(const isa::Kernel& kernel);

    std::vector<std::uint32_t> loop_of;  ///< innermost loop, or kNoLoop
    std::vector<Role> roles;
    std::vector<std::vector<std::uint32_t>> address_loads;  ///< see address_sources.h
};

}  // namespace lookahead::profile
