#include "components/sm/lsu/memory_fault.h"

#include <array>
#include <cstdio>

#include <fmt/format.h>

namespace lookahead::gpu {

namespace {

std::string_view name_of(isa::Operation operation) {
    switch (operation) {
        case isa::Operation::load:
        case isa::Operation::load_stride:
        case isa::Operation::load_indirect:
            return "load";
        case isa::Operation::store:
        case isa::Operation::store_stride:
        case isa::Operation::store_indirect:
            return "store";
        case isa::Operation::atomic:
            return "atomic";
        case isa::Operation::reduce:
            return "reduction";
        case isa::Operation::texture:
            return "texture fetch";
        default:
            return "access";
    }
}

std::string sentence(const isa::InstructionForm& instruction, unsigned lane, std::uint64_t address,
                     const std::string& what, std::optional<unsigned> element) {
    std::array<char, 24> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%llx", static_cast<unsigned long long>(address));
    return fmt::format("{} of line {}, lane {}{}: address {} {}", name_of(instruction.operation), instruction.line,
                       lane, (element ? fmt::format(", element {}", *element) : ""), hex.data(), what);
}

}  // namespace

MemoryFault::MemoryFault(const isa::InstructionForm& instruction, unsigned faulting_lane,
                         std::uint64_t faulting_address, const std::string& what,
                         std::optional<unsigned> faulting_element)
    : ProgramError(sentence(instruction, faulting_lane, faulting_address, what, faulting_element)),
      lane(faulting_lane),
      address(faulting_address),
      line(instruction.line),
      phrase(what),
      element(faulting_element) {}

}  // namespace lookahead::gpu
