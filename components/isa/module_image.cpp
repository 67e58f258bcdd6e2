#include "components/isa/module_image.h"

#include <algorithm>
#include <iterator>

#include "core/error/error.h"

namespace lookahead::isa {

std::uint64_t address_of_variable(const ModuleImage& image, std::string_view name) {
    const auto found = std::ranges::find(image, name, &ModuleVariable::name);
    if (found == image.end()) {
        throw ProgramError("the program's modules have no .global or .const variable {}", name);
    }
    return found->address;
}

bool is_in_constant(const ModuleImage& image, std::uint64_t address, std::uint64_t bytes) {
    const auto behind = std::ranges::upper_bound(image, address, {}, &ModuleVariable::address);
    if (behind == image.begin()) { return false; }
    const ModuleVariable& variable = *std::prev(behind);
    const std::uint64_t offset = address - variable.address;
    return variable.is_constant && offset < variable.bytes && bytes <= variable.bytes - offset;
}

}  // namespace lookahead::isa
