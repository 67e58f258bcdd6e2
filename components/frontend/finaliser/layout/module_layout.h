#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/module.h"
#include "components/isa/module_image.h"

namespace lookahead::finaliser {

/// The address of each .global and .const variable, by index in Module::variables; 0 for others and for .extern ones.
/// They lie in the order of their declaration from isa::kModuleBase and isa::kConstantBase on. Depends on nothing but
/// the module: not on machine, options or the kernels that are launched.
std::vector<std::uint64_t> lay_out_module(const ptx::Module& module);

/// What those variables hold at first, with the addresses in their initialisers filled in. Throws InputError for an
/// initialiser that names something without an address in the image.
isa::ModuleImage module_image(const ptx::Module& module);

}  // namespace lookahead::finaliser
