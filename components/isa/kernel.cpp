#include "components/isa/kernel.h"

#include <algorithm>

#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::isa {

Kernel::Kernel() = default;
Kernel::~Kernel() = default;
Kernel::Kernel(const Kernel&) = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(const Kernel&) = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;

std::uint32_t Kernel::own_size() const {
    return programs.empty() ? static_cast<std::uint32_t>(code.size()) : programs.front().entry;
}

std::optional<std::int64_t> Kernel::annotation(std::uint32_t instruction, std::string_view tag) const {
    auto next = std::ranges::lower_bound(annotations, instruction, {}, &Annotation::instruction);
    for (; next != annotations.end() && next->instruction == instruction; ++next) {
        if (next->tag == tag) { return next->value; }
    }
    return std::nullopt;
}

std::uint32_t Kernel::most_registers() const {
    std::uint32_t most = registers;
    for (const Program& program : programs) { most = std::max(most, program.registers); }
    return most;
}

std::uint32_t Kernel::computed_target(const Instruction& branch, std::uint32_t value) const {
    const std::uint32_t address = value + static_cast<std::uint32_t>(branch.offset);
    const std::uint32_t number = address / kNativeInstructionBytes;
    if (address % kNativeInstructionBytes != 0 || number >= entries.size()) {
        throw ProgramError("a branch to the address {:#x}, where the kernel has no instruction", address);
    }
    return entries[number];
}

std::vector<std::uint64_t> code_addresses(const KernelTable& kernels) {
    constexpr std::uint64_t kAlignment = 128;  // a line of memory
    std::vector<std::uint64_t> addresses{kCodeBase};
    for (const Kernel& kernel : kernels) {
        const std::uint64_t end = addresses.back() + kernel.code.size() * kernel.instruction_bytes;
        addresses.push_back((end + kAlignment - 1) / kAlignment * kAlignment);
    }
    return addresses;
}

}  // namespace lookahead::isa
