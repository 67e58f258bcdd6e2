#include "components/isa/module_image.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead::isa {

std::uint64_t address_of_variable(const ModuleImage& image, std::string_view name) {
    const auto found = std::ranges::find(image, name, &ModuleVariable::name);
    if (found == image.end()) {
        throw ProgramError("the program's modules have no .global or .const variable " + std::string(name));
    }
    return found->address;
}

}  // namespace lookahead::isa
