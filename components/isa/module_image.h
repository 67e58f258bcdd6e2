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
    std::uint64_t bytes = 0;  ///< 0: a name for a place in the variable before it
    bool is_constant = false;
    /// False if the first contents do not matter, as for an allocation; then nothing is written.
    bool has_initial_value = true;
    /// The first contents: `bytes` of them, or none if all are zero.
    std::vector<std::byte> contents;
};

/// The variables that a module puts into memory, by ascending address. Variables do not overlap.
using ModuleImage = std::vector<ModuleVariable>;

/// The variable's address in the image; ProgramError if there is none of that name.
std::uint64_t address_of_variable(const ModuleImage& image, std::string_view name);

/// Whether `bytes` bytes from `address` on are in a .const variable.
bool is_in_constant(const ModuleImage& image, std::uint64_t address, std::uint64_t bytes);

}  // namespace lookahead::isa
