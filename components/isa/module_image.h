#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead::isa {

/// A .global or .const variable of a module, at its address for the whole run.
struct ModuleVariable {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool is_constant = false;
    /// false: what it holds at first does not matter, as with an allocation, and nothing is written.
    bool has_initial_value = true;
    /// What it holds at first: `bytes` of them, or none where all are zero.
    std::vector<std::byte> contents;
};

/// What a module puts into memory, by rising address. Variables do not overlap.
using ModuleImage = std::vector<ModuleVariable>;

/// Where the image holds the variable; a ProgramError if it has none of that name.
std::uint64_t address_of_variable(const ModuleImage& image, std::string_view name);

/// Whether `bytes` bytes from `address` on lie in a .const variable.
bool is_in_constant(const ModuleImage& image, std::uint64_t address, std::uint64_t bytes);

}  // namespace lookahead::isa
