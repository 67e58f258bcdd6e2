#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lookahead::isa {

/// A .global or .const variable of a module, at its address for the whole run.
struct ModuleVariable {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool is_constant = false;
    /// What it holds at first: `bytes` of them, or none where all are zero.
    std::vector<std::byte> contents;
};

/// What a module puts into memory, by rising address. Variables do not overlap.
using ModuleImage = std::vector<ModuleVariable>;

}  // namespace lookahead::isa
