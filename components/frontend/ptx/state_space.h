#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lookahead::ptx {

/// The state space of a variable or an access. `generic` is an access without a state space.
enum class StateSpace : std::uint8_t { generic, global, constant, shared, local, param, reg };

/// PTX's word without the dot: "const", "global"; "generic" for generic.
constexpr std::string_view name_of(StateSpace space) {
    constexpr std::string_view kNames[] = {"generic", "global", "const", "shared", "local", "param", "reg"};
    return kNames[static_cast<std::size_t>(space)];
}

}  // namespace lookahead::ptx
