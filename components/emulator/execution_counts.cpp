#include "components/emulator/execution_counts.h"

namespace lookahead {
namespace {

using isa::Operation;
using isa::Type;

bool is_special_function(const isa::Instruction& instruction) {
    switch (instruction.operation) {
        case Operation::sqrt:
        case Operation::rcp:
        case Operation::rsqrt:
        case Operation::ex2:
        case Operation::lg2:
        case Operation::sin:
        case Operation::cos:
        case Operation::tanh:
            return true;
        case Operation::div:
            return instruction.type == Type::f32 || instruction.type == Type::f64;
        default:
            return false;
    }
}

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

InstructionClass class_of(const isa::Instruction& instruction) {
    if (isa::is_memory(instruction.operation) || instruction.operation == Operation::texture) {
        return InstructionClass::memory;
    }
    if (is_special_function(instruction)) { return InstructionClass::special_function; }
    switch (instruction.operation) {
        case Operation::nop:
        case Operation::warp_sync:
        case Operation::bra:
        case Operation::exit:
        case Operation::barrier:
        case Operation::membar:
        case Operation::trap:
        case Operation::enqueue:
            return InstructionClass::control;
        case Operation::mov:
        case Operation::select:
        case Operation::read_special:
            return InstructionClass::move;
        case Operation::convert:
            return InstructionClass::convert;
        case Operation::setp:
        case Operation::pred_and:
        case Operation::pred_or:
        case Operation::pred_xor:
        case Operation::pred_not:
        case Operation::pred_mov:
        case Operation::dequeue:
            return InstructionClass::predicate;
        case Operation::shuffle:
        case Operation::vote:
        case Operation::match:
        case Operation::activemask:
        case Operation::redux:
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
        const isa::Instruction& instruction = kernel.code[pc];
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
