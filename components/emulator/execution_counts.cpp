#include "components/emulator/execution_counts.h"

namespace lookahead {
namespace {

using isa::Operation;
using isa::OperationGroup;
using isa::Type;

InstructionClass arithmetic_class(Type type) {
    switch (type) {
        case Type::f16:
        case Type::f16x2:
            return InstructionClass::half_precision;
        case Type::f32:
            return InstructionClass::single_precision;
        case Type::f64:
            return InstructionClass::double_precision;
        default:
            return InstructionClass::integer;
    }
}

template <std::size_t kSize>
void add(std::array<InstructionCount, kSize>& to, const std::array<InstructionCount, kSize>& from) {
    for (std::size_t i = 0; i < kSize; ++i) { to[i] += from[i]; }
}

}  // namespace

InstructionClass class_of(const isa::InstructionForm& instruction) {
    switch (isa::info_of(instruction.operation).group) {
        case OperationGroup::memory:
        case OperationGroup::texture:
            return InstructionClass::memory;
        case OperationGroup::root:
        case OperationGroup::special:
            return InstructionClass::special_function;
        case OperationGroup::divide:
            return instruction.type == Type::f32 || instruction.type == Type::f64 ? InstructionClass::special_function
                                                                                  : arithmetic_class(instruction.type);
        case OperationGroup::none:
        case OperationGroup::branch:
        case OperationGroup::exit:
        case OperationGroup::barrier:
        case OperationGroup::fence:
        case OperationGroup::trap:
            return InstructionClass::control;
        case OperationGroup::move:
            return InstructionClass::move;
        case OperationGroup::convert:
            return InstructionClass::convert;
        case OperationGroup::compare:
        case OperationGroup::predicate:
            return InstructionClass::predicate;
        case OperationGroup::exchange:
        case OperationGroup::vote:
            return InstructionClass::warp;
        default:
            return arithmetic_class(instruction.type);
    }
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
