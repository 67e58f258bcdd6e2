#include "components/frontend/native/operands.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "components/frontend/ptx/device_library.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::native {
namespace {

using isa::Operand;

constexpr unsigned kSpareRows = 4;

/// Where the driver puts values into constant bank 0 (public assemblers; what ptxas reads for values that are known).
struct DriverConstants {
    std::uint32_t block, grid, stack, descriptor, local_window;
    std::uint32_t shared_window, constant_window, bank_window;
    std::uint32_t grid_workspace;  ///< %envreg1 and %envreg2; 0: not known
};
DriverConstants driver_constants(unsigned architecture) {
    if (architecture >= 100) { return {0x360, 0x370, 0x37c, 0x358, 0x2f8, 0x2f0, 0x120, 0x348, 0}; }
    if (architecture >= 90) { return {0x0, 0xc, 0x28, 0x208, 0x20, 0x18, 0xd0, 0x198, 0x44}; }
    return {0x0, 0xc, 0x28, 0x118, 0x20, 0x18, 0x50, 0x40, 0x8c};
}

}  // namespace

void refuse(std::string reason) {
    throw Refusal{std::move(reason)};
}

Operands::Operands(const Cubin& cubin, const CubinKernel& kernel, isa::Kernel& to, const std::vector<Instruction>& code)
    : cubin_(cubin), kernel_(kernel), to_(to), zero_uniform_(cubin.architecture >= 100 ? 255 : 63) {
    std::uint32_t uniform = 0;
    const auto use = [&](std::uint32_t number) {
        if (number != zero_uniform_) { uniform = std::max(uniform, number + kSpareRows); }
    };
    for (const Instruction& each : code) {
        if (each.opcode == nullptr) { continue; }
        for (const Source& source : {each.a, each.b, each.c}) {
            if (source.kind == Source::Kind::uniform) { use(source.value); }
        }
        const std::string_view operands = each.opcode->operands;
        if (operands.find('D') != std::string_view::npos) { use(each.uniform(16)); }
        if (operands.find('[') != std::string_view::npos && each.has_uniform_address()) {
            use(each.uniform(each.uniform_address_bit()));
            use(each.uniform(24));
        }
    }
    to_.allocated_registers = kernel_.registers;
    unread_ = kernel_.registers + uniform;
    loaded_ = unread_ + kSpareRows;
    temporary_ = loaded_ + kSpareRows;
    to_.registers = temporary_ + kSpareRows + 1;
    to_.predicates = isa::kPredicateRegisters;
}

void Operands::check_register(std::uint32_t number, unsigned rows) const {
    if (number + rows > kernel_.registers) {
        refuse(fmt::format("the kernel has {} registers, but it uses R{}", kernel_.registers, number + rows - 1));
    }
}

void Operands::set_result(isa::Instruction& to, std::uint32_t number, unsigned rows) const {
    if (number != kZeroRegister) { check_register(number, rows); }
    to.destination = static_cast<std::uint16_t>(number == kZeroRegister ? unread_ : number);
    to.destination_rows = static_cast<std::uint8_t>(rows);
}

void Operands::set_uniform_result(isa::Instruction& to, std::uint32_t number, unsigned rows) const {
    to.destination = static_cast<std::uint16_t>(number == zero_uniform_ ? unread_ : kernel_.registers + number);
    to.destination_rows = static_cast<std::uint8_t>(rows);
}

void Operands::set_temporary(isa::Instruction& to, unsigned number, unsigned rows) const {
    to.destination = static_cast<std::uint16_t>(temporary_ + number);
    to.destination_rows = static_cast<std::uint8_t>(rows);
}

Operand Operands::rows_from(std::uint32_t first, unsigned rows) {
    return {Operand::Kind::reg, static_cast<std::uint8_t>(rows), static_cast<std::uint16_t>(first)};
}

Operand Operands::reg(std::uint32_t number, unsigned rows) {
    if (number == kZeroRegister) { return literals(std::vector<std::uint32_t>(rows, 0)); }
    check_register(number, rows);
    return rows_from(number, rows);
}

Operand Operands::uniform(std::uint32_t number, unsigned rows) {
    if (number == zero_uniform_) { return literals(std::vector<std::uint32_t>(rows, 0)); }
    return rows_from(kernel_.registers + number, rows);
}

Operand Operands::literals(const std::vector<std::uint32_t>& words) {
    const auto row = [&](std::uint16_t index) {
        return Operand{Operand::Kind::constant, static_cast<std::uint8_t>(words.size()), index};
    };
    if (words.size() == 1 && words[0] == 0) { return row(static_cast<std::uint16_t>(isa::LaunchRow::zero)); }
    const auto found = std::ranges::search(to_.literals, words);
    const auto first = static_cast<std::size_t>(found.begin() - to_.literals.begin());
    if (found.empty()) { to_.literals.insert(to_.literals.end(), words.begin(), words.end()); }
    return row(static_cast<std::uint16_t>(to_.first_literal_row() + first));
}

Operand Operands::words_of(const std::vector<std::byte>& bank, std::uint32_t offset, unsigned rows) {
    std::vector<std::uint32_t> words(rows);
    if (std::size_t{offset} + rows * 4 > bank.size()) { refuse("it reads beyond its constants"); }
    std::memcpy(words.data(), bank.data() + offset, rows * 4);
    return literals(words);
}

Operand Operands::of_launch(std::uint32_t offset, unsigned rows) {
    const std::uint32_t from_parameters = offset - kernel_.parameter_base;
    if (offset >= kernel_.parameter_base && from_parameters + rows * 4 <= to_.parameter_bytes) {
        if (from_parameters % 4 != 0) { refuse("it reads a parameter at an address that is no multiple of 4"); }
        return {Operand::Kind::constant, static_cast<std::uint8_t>(rows),
                static_cast<std::uint16_t>(isa::kFirstParameterRow + from_parameters / 4)};
    }
    const DriverConstants driver = driver_constants(cubin_.architecture);
    const auto launch_row = [&](std::uint32_t base, isa::LaunchRow first) {
        return Operand{Operand::Kind::constant, static_cast<std::uint8_t>(rows),
                       static_cast<std::uint16_t>(static_cast<unsigned>(first) + (offset - base) / 4)};
    };
    if (offset - driver.block < 12) { return launch_row(driver.block, isa::LaunchRow::ntid_x); }
    if (offset - driver.grid < 12) { return launch_row(driver.grid, isa::LaunchRow::nctaid_x); }
    constexpr std::uint32_t kDynamicShared = 0x2c;
    if (offset == kDynamicShared && cubin_.architecture < 100 && rows == 1) {
        return {Operand::Kind::constant, 1, static_cast<std::uint16_t>(isa::LaunchRow::dynamic_shared_bytes)};
    }
    if (offset == driver.stack && rows == 1) { return literals({to_.local_bytes}); }
    if (driver.grid_workspace != 0 && (offset - driver.grid_workspace) / 4 < 2 && rows == 1) {
        const auto found = std::ranges::find(cubin_.variables, ptx::kGridWorkspace, &isa::ModuleVariable::name);
        if (found == cubin_.variables.end()) { refuse("the cubin lacks the workspace of a grid's barriers"); }
        // %envreg1 is the upper word.
        return literals(
            {static_cast<std::uint32_t>(offset == driver.grid_workspace ? found->address >> 32 : found->address)});
    }
    // A descriptor of global memory: the addresses that it goes with are whole, so it adds nothing.
    if (offset == driver.descriptor && rows == 2) { return literals({0, 0}); }
    // Generic addresses of parameters: before Hopper the window is that of the whole bank.
    const std::uint64_t bank = isa::kParameterBase - (cubin_.architecture >= 90 ? 0 : kernel_.parameter_base);
    for (const auto& [place, window] :
         {std::pair{driver.local_window, isa::kLocalWindowBase},
          std::pair{driver.shared_window, isa::kSharedWindowBase},
          std::pair{driver.constant_window, isa::kConstantBase}, std::pair{driver.bank_window, bank}}) {
        if ((offset - place) / 4 < 2 && place == driver.bank_window) { to_.addresses_parameters = true; }
        if ((offset - place) / 4 < 2 && place == driver.local_window) { makes_local_addresses_ = true; }
        const std::uint32_t words[] = {static_cast<std::uint32_t>(window), static_cast<std::uint32_t>(window >> 32)};
        if (offset == place && rows == 2) { return literals({words[0], words[1]}); }
        if ((offset - place) / 4 < 2 && rows == 1) { return literals({words[(offset - place) / 4]}); }
    }
    refuse(fmt::format("the place {:#x} of constant bank 0 is not known", offset));
}

Operand Operands::constant(unsigned bank, std::uint32_t offset, unsigned rows) {
    switch (bank) {
        case 0:
            return of_launch(offset, rows);
        case 2:
            return words_of(kernel_.constants, offset, rows);
        case 4:
            return words_of(cubin_.addresses, offset, rows);
        default:
            refuse(fmt::format("constant bank {} is not known", bank));
    }
}

}  // namespace lookahead::native
