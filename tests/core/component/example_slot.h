#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "core/component/slot.h"

namespace lookahead {

/// A slot for the tests: its variants report their arguments.
class Greeter {
  public:
    static constexpr SlotDeclaration kSlot{"house.greeter", "", "Greets a visitor."};
    using Arguments = std::tuple<int, std::string&>;

    virtual ~Greeter() = default;
    virtual std::string greet() const = 0;
};

struct LoudParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, times, 2, {1, 9, "call"}, {.help = "Calls.", .source = "A book."});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead
