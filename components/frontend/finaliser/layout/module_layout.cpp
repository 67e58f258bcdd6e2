#include "components/frontend/finaliser/layout/layout.h"

#include <algorithm>

#include "components/frontend/ptx/device_library.h"
#include "components/isa/address_space.h"
#include "components/isa/code_address.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using ptx::StateSpace;

namespace {

/// Allocates one region of the address space.
class Region {
  public:
    Region(std::uint64_t base, std::uint64_t bytes) : next_(base), end_(base + bytes) {}

    std::uint64_t place(const ptx::Module& module, const ptx::Variable& variable) {
        const std::uint64_t alignment = std::max(variable.alignment, 1U);
        const std::uint64_t address = (next_ + alignment - 1) / alignment * alignment;
        // Even a variable of no bytes has its own address.
        const std::uint64_t bytes = std::max<std::uint64_t>(variable.size(), 1);
        if (address > end_ || bytes > end_ - address) {
            throw InputError("{}:{}: {} of {} bytes does not fit: a module's variables may take {} bytes",
                             module.file_name, variable.line, variable.name, variable.size(), isa::kModuleBytes);
        }
        next_ = address + bytes;
        return address;
    }

  private:
    std::uint64_t next_, end_;
};

bool is_in_image(const ptx::Variable& variable) {
    return !variable.is_extern && (variable.space == StateSpace::global || variable.space == StateSpace::constant);
}

void relocate(const ptx::Module& module, const std::vector<std::uint64_t>& addresses, const ptx::Variable& variable,
              const ptx::Relocation& relocation, std::vector<std::byte>& contents) {
    const bool is_variable = relocation.symbol.kind == ptx::SymbolKind::module_variable;
    if (is_variable && addresses[relocation.symbol.index] == 0) {
        throw InputError(
            "{}:{}: the initial value of {} names {}; addresses of device functions and of .global and .const "
            "variables "
            "of this file are supported",
            module.file_name, variable.line, variable.name, module.variables[relocation.symbol.index].name);
    }
    const std::uint64_t symbol =
        is_variable ? addresses[relocation.symbol.index] : isa::code_address(relocation.symbol.index);
    const std::uint64_t address =
        (symbol + static_cast<std::uint64_t>(relocation.addend)) >> (8 * relocation.first_byte);
    for (unsigned i = 0; i < relocation.size; ++i) {
        contents[relocation.offset + i] = static_cast<std::byte>(address >> (8 * i));
    }
}

}  // namespace

std::vector<std::uint64_t> lay_out_module(const ptx::Module& module) {
    Region globals(isa::kModuleBase, isa::kModuleBytes);
    Region constants(isa::kConstantBase, isa::kConstantBytes);
    std::vector<std::uint64_t> addresses;
    for (const ptx::Variable& variable : module.variables) {
        Region& region = variable.space == StateSpace::constant ? constants : globals;
        addresses.push_back(is_in_image(variable) ? region.place(module, variable) : 0);
    }
    return addresses;
}

isa::ModuleImage module_image(const ptx::Module& module) {
    const std::vector<std::uint64_t> addresses = lay_out_module(module);
    isa::ModuleImage image;
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
        const ptx::Variable& variable = module.variables[i];
        if (!is_in_image(variable) || variable.size() == 0) { continue; }
        isa::ModuleVariable& placed = image.emplace_back();
        placed.name = variable.name;
        placed.address = addresses[i];
        placed.bytes = variable.size();
        placed.has_initial_value = variable.name != ptx::kHeapStorage;
        placed.is_constant = variable.space == StateSpace::constant;
        for (std::uint8_t byte : variable.initialiser) { placed.contents.push_back(std::byte{byte}); }
        for (const ptx::Relocation& relocation : variable.relocations) {
            relocate(module, addresses, variable, relocation, placed.contents);
        }
    }
    std::ranges::sort(image, {}, &isa::ModuleVariable::address);
    return image;
}

}  // namespace lookahead::finaliser
