#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "core/component/slot.h"

namespace lookahead {

/// A slot for the tests: its variants report their arguments.
class Greeter {
  public:
    virtual ~Greeter() = default;
    virtual std::string greet() const = 0;
};

template <>
struct SlotTraits<Greeter> {
    static constexpr std::string_view name = "house.greeter";
    static constexpr std::string_view description = "Greets a visitor.";
    using Arguments = std::tuple<int, std::string&>;
};

struct LoudParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, times, 2, {1, 9, "call"}, {.help = "Calls.", .source = "A book."});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead
