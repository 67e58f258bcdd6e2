#include "experiments/profile/instruction_roles.h"

#include "components/isa/instruction.h"

namespace lookahead::profile {
namespace {

using isa::Instruction;
using isa::Operation;

bool accesses_memory(const Instruction& instruction) {
    return isa::is_memory(instruction.operation) || instruction.operation == Operation::texture;
}

/// The role that follows from the operation alone; the backtraces divide `integer`.
Role role_by_itself(const Instruction& instruction) {
    if (accesses_memory(instruction)) { return Role::memory; }
    switch (instruction.operation) {
        case Operation::nop:
        case Operation::bra:
        case Operation::exit:
        case Operation::barrier:
        case Operation::membar:
        case Operation::trap:
        case Operation::warp_sync:
            return Role::control;
        default:
            break;
    }
    const bool compares_floating = instruction.operation == Operation::set && isa::is_floating(instruction.source_type);
    return compares_floating || isa::is_floating(instruction.type) ? Role::floating_point : Role::integer;
}

class Backtrace {
  public:
    Backtrace(std::span<const Instruction> code, const ReachingDefinitions& definitions, std::vector<Role>& roles)
        : code_(code), definitions_(definitions), roles_(roles), seen_(code.size(), false) {}

    /// Marks the integer instructions from which `unit`, read by `reader`, is computed.
    void mark(std::uint32_t reader, std::uint32_t unit, Role role) {
        follow(reader, unit, role);
        while (!open_.empty()) {
            const std::uint32_t at = open_.back();
            open_.pop_back();
            const Instruction& instruction = code_[at];
            for (const isa::Operand& operand : instruction.source) {
                for_each_unit(operand, [&](std::uint32_t each) { follow(at, each, role); });
            }
            for (const std::uint8_t predicate :
                 {instruction.guard, instruction.source_predicate, instruction.source_predicate2}) {
                follow(at, unit_of_predicate(predicate), role);
            }
        }
    }

  private:
    void follow(std::uint32_t reader, std::uint32_t unit, Role role) {
        if (unit == kNoUnit) { return; }
        for (const std::uint32_t writer : definitions_.writers(reader, unit)) {
            if (seen_[writer]) { continue; }
            seen_[writer] = true;
            if (roles_[writer] != Role::integer) { continue; }
            roles_[writer] = role;
            open_.push_back(writer);
        }
    }

    std::span<const Instruction> code_;
    const ReachingDefinitions& definitions_;
    std::vector<Role>& roles_;
    std::vector<bool> seen_;
    std::vector<std::uint32_t> open_;
};

}  // namespace

std::string_view name_of(Role role) {
    static constexpr std::array<std::string_view, kRoles> kNames{"address_generation", "memory", "control", "integer",
                                                                 "floating_point"};
    return kNames[static_cast<std::size_t>(role)];
}

std::vector<Role> roles_of(std::span<const Instruction> code, const ReachingDefinitions& definitions) {
    std::vector<Role> roles;
    for (const Instruction& instruction : code) { roles.push_back(role_by_itself(instruction)); }
    Backtrace control(code, definitions, roles);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (const std::uint32_t guard = unit_of_predicate(code[i].guard); guard != kNoUnit) {
            control.mark(i, guard, Role::control);
        }
    }
    Backtrace addresses(code, definitions, roles);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!accesses_memory(code[i])) { continue; }
        const auto mark = [&](std::uint32_t unit) { addresses.mark(i, unit, Role::address_generation); };
        for_each_unit(code[i].source[0], mark);
        if (isa::is_vector_memory(code[i].operation)) {
            for_each_unit(code[i].source[isa::pattern_source(code[i].operation)], mark);
        }
        if (code[i].operation == Operation::texture) { for_each_unit(code[i].source[1], mark); }
    }
    return roles;
}

}  // namespace lookahead::profile
