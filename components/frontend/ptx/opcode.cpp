#include "components/frontend/ptx/opcode.h"

#include <algorithm>
#include <string>
#include <vector>

namespace lookahead::ptx {
namespace {

std::vector<std::string> names() {
    std::vector<std::string> names = {
#define INSTRUCTION(opcode, modifiers, operands) #opcode,
#define FORM(opcode, modifiers, operands)
#include "components/frontend/ptx/instructions.def"
    };
    for (std::string& name : names) {
        if (name.ends_with('_')) { name.pop_back(); }
        std::ranges::replace(name, '_', '.');
    }
    return names;
}

}  // namespace

std::string_view name_of(Opcode opcode) {
    static const std::vector<std::string> all = names();
    return all[static_cast<std::size_t>(opcode)];
}

}  // namespace lookahead::ptx
