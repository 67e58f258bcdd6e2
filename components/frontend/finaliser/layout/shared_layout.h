#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// The places of a kernel's shared variables in its CTA's shared memory.
struct SharedLayout {
    std::vector<std::uint32_t> module_offset;    ///< by index in Module::variables; shared ones only
    std::vector<std::uint32_t> function_offset;  ///< by index in Function::variables; shared ones only
    std::uint32_t static_bytes = 0;
};

/// Static variables come first, in the order of their declaration (the module's only if the kernel names them);
/// `.extern .shared` arrays, whose size the launch gives, all begin after them.
SharedLayout lay_out_shared(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace lookahead::finaliser
