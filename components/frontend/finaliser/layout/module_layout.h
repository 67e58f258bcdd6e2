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

}  // namespace lookahead::finaliser
