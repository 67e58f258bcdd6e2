#include "components/frontend/ptx/module.h"

#include <algorithm>

#include <fmt/format.h>

namespace lookahead::ptx {
namespace {

template <class Items>
auto find_named(const Items& items, std::string_view name) {
    const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
    return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Function* Module::find_function(std::string_view name) const {
    return find_named(functions, name);
}

const Function* Module::find_kernel(std::string_view name) const {
    const Function* function = find_function(name);
    return function != nullptr && function->is_kernel && function->is_defined ? function : nullptr;
}

const Variable* Module::find_variable(std::string_view name) const {
    return find_named(variables, name);
}

std::string where(const Module& module, const Instruction& instruction) {
    return fmt::format("{}:{}: `{}`", module.file_name, instruction.line, instruction.text);
}

}  // namespace lookahead::ptx
