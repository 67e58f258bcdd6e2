#include "components/emulator/execution_counts.h"

#include "components/isa/instruction.h"
#include "core/bits/one_of.h"

namespace lookahead {
namespace {

using isa::Operation;
using isa::OperationGroup;
using isa::Type;

InstructionClass arithmetic_class(Type type) {
    return is_one_of(type, Type::f16, Type::f16x2) ? InstructionClass::half_precision
           : type == Type::f32                     ? InstructionClass::single_precision
           : type == Type::f64                     ? InstructionClass::double_precision
                                                   : InstructionClass::integer;
}

template <std::size_t kSize>
void add(std::array<InstructionCount, kSize>& to, const std::array<InstructionCount, kSize>& from) {
    for (std::size_t i = 0; i < kSize; ++i) { to[i] += from[i]; }
}

}  // namespace

InstructionClass class_of(const isa::InstructionForm& instruction) {
    using enum OperationGroup;
    const OperationGroup group = isa::info_of(instruction.operation).group;
    if (is_one_of(group, memory, texture)) { return InstructionClass::memory; }
    if (is_one_of(group, none, branch, exit, barrier, fence, trap)) { return InstructionClass::control; }
    if (is_one_of(group, compare, predicate)) { return InstructionClass::predicate; }
    if (is_one_of(group, exchange, vote)) { return InstructionClass::warp; }
    if (group == move) { return InstructionClass::move; }
    if (group == convert) { return InstructionClass::convert; }
    const bool is_quotient = group == divide && is_one_of(instruction.type, Type::f32, Type::f64);
    return is_quotient || is_one_of(group, root, special) ? InstructionClass::special_function
                                                          : arithmetic_class(instruction.type);
}

std::string_view name_of(InstructionClass instruction_class) {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(InstructionClass::count)> kNames = {
        "integer",
        "single_precision",
        "double_precision",
        "half_precision",
        "special_function",
        "convert",
        "move",
        "predicate",
        "warp",
        "control",
        "memory"};
    return kNames[static_cast<std::size_t>(instruction_class)];
}

ExecutionCounts& ExecutionCounts::operator+=(const ExecutionCounts& other) {
    total += other.total;
    add(by_class, other.by_class);
    add(loads, other.loads);
    add(stores, other.stores);
    add(atomics, other.atomics);
    return *this;
}

ExecutionCounts summarise(const isa::Kernel& kernel, const std::vector<InstructionCount>& by_instruction) {
    ExecutionCounts counts;
    for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
        const isa::InstructionForm& instruction = kernel.code[pc];
        const InstructionCount& count = by_instruction[pc];
        counts.total += count;
        counts.by_class[static_cast<std::size_t>(class_of(instruction))] += count;
        const auto space = static_cast<std::size_t>(instruction.space);
        if (isa::is_load(instruction.operation)) { counts.loads[space] += count; }
        if (isa::is_store(instruction.operation)) { counts.stores[space] += count; }
        if (instruction.operation == Operation::atomic || instruction.operation == Operation::reduce) {
            counts.atomics[space] += count;
        }
    }
    return counts;
}

}  // namespace lookahead
