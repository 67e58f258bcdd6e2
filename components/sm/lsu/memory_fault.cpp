#include "components/sm/lsu/memory_fault.h"

#include <fmt/format.h>

namespace lookahead::gpu {

namespace {

std::string_view name_of(isa::Operation operation) {
    if (isa::is_load(operation)) { return "load"; }
    if (isa::is_store(operation)) { return "store"; }
    if (operation == isa::Operation::atomic) { return "atomic"; }
    if (operation == isa::Operation::reduce) { return "reduction"; }
    return operation == isa::Operation::texture ? "texture fetch" : "access";
}

std::string sentence(const isa::InstructionForm& instruction, unsigned lane, std::uint64_t address,
                     const std::string& what, std::optional<unsigned> element) {
    return fmt::format("{} of line {}, lane {}{}: address {:#x} {}", name_of(instruction.operation), instruction.line,
                       lane, (element ? fmt::format(", element {}", *element) : ""), address, what);
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
