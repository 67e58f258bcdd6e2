#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// The places of a kernel's .local variables in each thread's local memory, in order of declaration, before spills.
struct LocalLayout {
    std::vector<std::uint32_t> offset;  ///< by index in Function::variables; local ones only
    std::uint32_t bytes = 0;            ///< a multiple of 4
};

LocalLayout lay_out_local(const ptx::Function& kernel);

/// Whether generic addresses may lead to local memory: the kernel makes some.
bool makes_generic_local_addresses(const ptx::Function& kernel);

}  // namespace lookahead::finaliser
