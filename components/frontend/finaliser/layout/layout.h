#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/module.h"
#include "components/isa/module_image.h"

namespace lookahead::finaliser {

/// The address of each .global and .const variable, by index in Module::variables; 0 for others and for .extern ones.
/// They are in the order of their declaration from isa::kModuleBase and isa::kConstantBase on. Depends only on the
/// module, not on machine, options or the kernels that are launched.
std::vector<std::uint64_t> lay_out_module(const ptx::Module& module);

/// The first contents of those variables, with the addresses in their initialisers filled in. InputError for an
/// initialiser that names a symbol without an address in the image.
isa::ModuleImage module_image(const ptx::Module& module);

/// The places of a kernel's shared variables in its CTA's shared memory.
struct SharedLayout {
    std::vector<std::uint32_t> module_offset;    ///< by index in Module::variables; shared ones only
    std::vector<std::uint32_t> function_offset;  ///< by index in Function::variables; shared ones only
    std::uint32_t static_bytes = 0;
};

/// Static variables come first, in the order of their declaration (the module's only if the kernel names them);
/// `.extern .shared` arrays, whose size the launch gives, all begin after them.
SharedLayout lay_out_shared(const ptx::Module& module, const ptx::Function& kernel);

/// The places of a kernel's .local variables in each thread's local memory, in order of declaration, before spills.
struct LocalLayout {
    std::vector<std::uint32_t> offset;  ///< by index in Function::variables; local ones only
    std::uint32_t bytes = 0;            ///< a multiple of 4
};

LocalLayout lay_out_local(const ptx::Function& kernel);

/// Whether the kernel makes generic addresses of local variables, so that generic accesses may reach local memory.
bool makes_generic_local_addresses(const ptx::Function& kernel);

}  // namespace lookahead::finaliser
