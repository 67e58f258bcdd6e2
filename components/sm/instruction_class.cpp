#include "components/sm/instruction_class.h"

namespace lookahead::gpu {
namespace {

using isa::Operation;
using isa::Space;
using isa::Type;

enum class Domain { integer, fp32, fp64 };

Domain domain_of(Type type) {
    switch (type) {
        case Type::f16:
        case Type::f16x2:
        case Type::f32:
            return Domain::fp32;
        case Type::f64:
            return Domain::fp64;
        default:
            return Domain::integer;
    }
}

InstructionClass pick(Domain domain, InstructionClass integer, InstructionClass fp32, InstructionClass fp64) {
    return domain == Domain::integer ? integer : domain == Domain::fp32 ? fp32 : fp64;
}

InstructionClass memory_class_of(const isa::Instruction& instruction) {
    const Space space = instruction.space;
    if (isa::is_load(instruction.operation)) {
        return space == Space::shared     ? InstructionClass::load_shared
               : space == Space::local    ? InstructionClass::load_local
               : space == Space::constant ? InstructionClass::load_constant
                                          : InstructionClass::load_global;
    }
    if (isa::is_store(instruction.operation)) {
        return space == Space::shared  ? InstructionClass::store_shared
               : space == Space::local ? InstructionClass::store_local
                                       : InstructionClass::store_global;
    }
    return space == Space::shared ? InstructionClass::atomic_shared : InstructionClass::atomic_global;
}

/// A conversion runs on the unit of its wider side.
Domain conversion_domain(const isa::Instruction& instruction) {
    const bool wide = instruction.type == Type::f64 || instruction.source_type == Type::f64;
    return wide ? Domain::fp64 : Domain::integer;
}

}  // namespace

InstructionClass class_of(const isa::Instruction& instruction) {
    using C = InstructionClass;
    const Domain domain = domain_of(instruction.type);
    switch (instruction.operation) {
        case Operation::add:
        case Operation::sub:
        case Operation::neg:
        case Operation::abs:
        case Operation::setp:
        case Operation::set:
            return pick(domain, C::integer, C::fp32_add, C::fp64_add);
        case Operation::min:
        case Operation::max:
            return pick(domain, C::integer_min_max, C::fp32_min_max, C::fp64_add);
        case Operation::mul_lo:
        case Operation::mul_hi:
        case Operation::mul_wide:
            return pick(domain, C::integer_multiply, C::fp32_multiply, C::fp64_multiply);
        case Operation::mad_lo:
        case Operation::mad_hi:
        case Operation::mad_wide:
        case Operation::fma:
            return pick(domain, C::integer_mad, C::fp32_fma, C::fp64_fma);
        case Operation::div:
        case Operation::rem:
            return pick(domain, C::integer_divide, C::fp32_divide, C::fp64_divide);
        case Operation::sqrt:
        case Operation::rcp:
        case Operation::rsqrt:
            return domain == Domain::fp64                          ? C::fp64_divide
                   : instruction.rounding == isa::Rounding::approx ? C::special
                   : instruction.operation == Operation::rsqrt     ? C::special
                                                                   : C::fp32_divide;
        case Operation::ex2:
        case Operation::lg2:
        case Operation::sin:
        case Operation::cos:
        case Operation::tanh:
            return C::special;
        case Operation::convert:
            return pick(conversion_domain(instruction), C::integer, C::integer, C::fp64_add);
        case Operation::shuffle:
        case Operation::match:
        case Operation::redux:
            return C::cross_lane;
        case Operation::dot4:
        case Operation::dot2:
            return C::integer_mad;
        case Operation::abs_diff:
            return C::integer_min_max;
        case Operation::bra:
            return C::branch;
        case Operation::exit:
            return C::exit;
        case Operation::barrier:
            return C::barrier;
        case Operation::membar:
            return C::fence;
        case Operation::trap:
            return C::trap;
        case Operation::texture:
            return C::texture;
        case Operation::load:
        case Operation::load_stride:
        case Operation::load_indirect:
        case Operation::store:
        case Operation::store_stride:
        case Operation::store_indirect:
        case Operation::atomic:
        case Operation::reduce:
            return memory_class_of(instruction);
        default:
            return C::integer;
    }
}

ExecutionUnit unit_of(InstructionClass instruction_class, bool integer_units) {
    using C = InstructionClass;
    switch (instruction_class) {
        case C::integer_divide:
        case C::fp32_divide:
        case C::special:
            return ExecutionUnit::sfu;
        case C::fp64_add:
        case C::fp64_multiply:
        case C::fp64_fma:
        case C::fp64_divide:
            return ExecutionUnit::dp;
        case C::branch:
        case C::exit:
        case C::barrier:
        case C::trap:
            return ExecutionUnit::control;
        case C::fence:
        case C::load_global:
        case C::load_shared:
        case C::load_local:
        case C::load_constant:
        case C::store_global:
        case C::store_shared:
        case C::store_local:
        case C::atomic_global:
        case C::atomic_shared:
        case C::texture:
            return ExecutionUnit::memory;
        case C::integer:
        case C::integer_min_max:
        case C::integer_multiply:
        case C::integer_mad:
            return integer_units ? ExecutionUnit::integer : ExecutionUnit::sp;
        default:
            return ExecutionUnit::sp;
    }
}

}  // namespace lookahead::gpu
