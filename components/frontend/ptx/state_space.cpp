#include "components/frontend/ptx/state_space.h"

#include <array>

namespace lookahead::ptx {

std::string_view name_of(StateSpace space) {
    constexpr std::array<std::string_view, 7> kNames{"generic", "global", "const", "shared", "local", "param", "reg"};
    return kNames[static_cast<std::size_t>(space)];
}

}  // namespace lookahead::ptx
