#include "components/mechanisms/vecmem/access.h"

#include <array>
#include <cstddef>

#include "components/isa/memory_access.h"
#include "core/mutation/rule.h"

namespace lookahead::vecmem {

using isa::Space;

std::string_view name_of(Reason reason) {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(Reason::count)> kNames = {
        "none",       "guard", "width",   "space", "order",      "loop_code", "control", "induction",
        "trip_count", "alone", "address", "alias", "dependence", "registers", "kind",    "effort"};
    return kNames[static_cast<std::size_t>(reason)];
}

Reason fixed_reason(const VirtualInstruction& instruction) {
    const isa::InstructionForm& machine = instruction.machine;
    if (machine.space != Space::global && machine.space != Space::shared) { return Reason::space; }
    if (LOOKAHEAD_RULE(ordered_accesses_stay) && machine.order != isa::Order::weak) { return Reason::order; }
    if (isa::bits(machine.type) != 32 || machine.vector != 1 || machine.dequeues) { return Reason::width; }
    if (LOOKAHEAD_RULE(masked_accesses_stay) && instruction.guarded()) { return Reason::guard; }
    return Reason::none;
}

std::vector<Access> accesses_of(const VirtualKernel& kernel, std::uint32_t block, const Forms& forms) {
    std::vector<Access> accesses;
    const auto& code = kernel.blocks[block].code;
    for (std::uint32_t index = 0; index < code.size(); ++index) {
        const isa::InstructionForm& machine = code[index].machine;
        if (!isa::is_memory(machine.operation) || isa::is_vector_memory(machine.operation)) { continue; }
        Access access;
        access.index = index;
        access.loads = machine.operation == isa::Operation::load;
        access.writes = !access.loads;
        access.space = machine.space;
        access.bytes = isa::lane_bytes(machine);
        access.has_address = !machine.dequeues;
        const bool plain = access.loads || machine.operation == isa::Operation::store;
        access.stays = plain ? fixed_reason(code[index]) : Reason::order;
        if (access.has_address) { access.address = forms.address({block, index}); }
        accesses.push_back(std::move(access));
    }
    return accesses;
}

bool may_share_space(const Access& a, const Access& b) {
    return a.space == b.space || a.space == Space::generic || b.space == Space::generic;
}

bool are_disjoint(const Access& a, const Access& b) {
    if (!may_share_space(a, b)) { return true; }
    if (!a.has_address || !b.has_address || a.space != b.space || a.address.rows() != b.address.rows()) {
        return false;
    }
    const Form distance = b.address - a.address;
    if (LOOKAHEAD_RULE(other_bases_may_alias) && !distance.is_constant()) { return false; }
    // The distance may also wrap around the end of the address space.
    Form back(distance.rows());
    back.add(distance, ~std::uint64_t{0});
    return distance.constant() >= a.bytes && back.constant() >= b.bytes;
}

}  // namespace lookahead::vecmem
