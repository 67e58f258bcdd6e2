#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "components/frontend/ptx/type.h"

namespace lookahead::ptx {

/// The special registers that can be read (special_registers.def).
enum class SpecialRegister : std::uint8_t {
#define SPECIAL_REGISTER(name, text, type) name,
#include "components/frontend/ptx/special_registers.def"
};

/// PTX's name with the percent sign: "%tid.x".
std::string_view name_of(SpecialRegister reg);
/// u32, or u64 for clock64, globaltimer and gridid.
Type type_of(SpecialRegister reg);
std::optional<SpecialRegister> special_register_named(std::string_view name);
/// Whether the name is one of the PTX ISA's special registers that are not supported (%envreg3, %clusterid.x, ...).
bool is_unsupported_special_register(std::string_view name);

}  // namespace lookahead::ptx
