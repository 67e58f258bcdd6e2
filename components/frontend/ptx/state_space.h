#pragma once

#include <cstdint>
#include <string_view>

namespace lookahead::ptx {

/// Where a variable lives or an access goes. `generic` is an access without a state space.
enum class StateSpace : std::uint8_t { generic, global, constant, shared, local, param, reg };

/// PTX's word without the dot: "const", "global"; "generic" for generic.
std::string_view name_of(StateSpace space);

}  // namespace lookahead::ptx
