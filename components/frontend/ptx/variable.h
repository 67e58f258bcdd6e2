#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/frontend/ptx/operand.h"
#include "components/frontend/ptx/state_space.h"
#include "components/frontend/ptx/type.h"

namespace lookahead::ptx {

/// A place in an initialiser that holds a symbol's address: `size` bytes at `offset` become
/// (address(symbol) + addend) >> (8 * first_byte).
struct Relocation {
    std::uint64_t offset = 0;
    unsigned size = 8;
    unsigned first_byte = 0;  ///< not 0 for `0xFF00(symbol)` in byte arrays
    SymbolReference symbol;   ///< module_variable or function
    std::int64_t addend = 0;
    bool generic = false;  ///< generic(symbol): the generic address instead of that in the symbol's state space
};

/// A variable in memory: global, constant, shared or local, or a .param of a call.
struct Variable {
    std::string name{};
    StateSpace space = StateSpace::global;
    Type type = Type::none;      ///< of one element
    unsigned vector_width = 1;   ///< 2 or 4 for .v2, .v4 elements
    std::uint64_t elements = 1;  ///< product of the dimensions; 0 for `.extern .shared .b8 s[]`
    unsigned alignment = 1;      ///< in bytes: as given, else the element's size
    bool is_extern = false;      ///< .extern: its size is known only at launch (shared) or when linked
    bool is_visible = false;     ///< .visible or .weak or .common
    bool has_initialiser = false;
    std::vector<std::uint8_t> initialiser{};  ///< size() bytes if has_initialiser; zero elsewhere
    std::vector<Relocation> relocations{};
    std::uint32_t line = 0;

    std::uint64_t size() const { return elements * vector_width * bytes(type); }
};

}  // namespace lookahead::ptx
