#include "components/sm/instruction_class.h"

namespace lookahead::gpu {
namespace {

using isa::OperationGroup;
using isa::Space;
using isa::Type;

enum class Domain { integer, fp32, fp64 };

Domain domain_of(Type type) {
    return type == Type::f64 ? Domain::fp64 : isa::is_floating(type) ? Domain::fp32 : Domain::integer;
}

InstructionClass pick(Domain domain, InstructionClass integer, InstructionClass fp32, InstructionClass fp64) {
    return domain == Domain::integer ? integer : domain == Domain::fp32 ? fp32 : fp64;
}

InstructionClass memory_class_of(const isa::InstructionForm& instruction) {
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
Domain conversion_domain(const isa::InstructionForm& instruction) {
    const bool wide = instruction.type == Type::f64 || instruction.source_type == Type::f64;
    return wide ? Domain::fp64 : Domain::integer;
}

}  // namespace

InstructionClass class_of(const isa::InstructionForm& instruction) {
    using C = InstructionClass;
    const Domain domain = domain_of(instruction.type);
    switch (isa::info_of(instruction.operation).group) {
        case OperationGroup::add:
        case OperationGroup::compare:
            return pick(domain, C::integer, C::fp32_add, C::fp64_add);
        case OperationGroup::min_max:
            return pick(domain, C::integer_min_max, C::fp32_min_max, C::fp64_add);
        case OperationGroup::multiply:
            return pick(domain, C::integer_multiply, C::fp32_multiply, C::fp64_multiply);
        case OperationGroup::mad:
            return pick(domain, C::integer_mad, C::fp32_fma, C::fp64_fma);
        case OperationGroup::divide:
            return pick(domain, C::integer_divide, C::fp32_divide, C::fp64_divide);
        case OperationGroup::root:
            return domain == Domain::fp64                           ? C::fp64_divide
                   : instruction.rounding == isa::Rounding::approx  ? C::special
                   : instruction.operation == isa::Operation::rsqrt ? C::special
                                                                    : C::fp32_divide;
        case OperationGroup::special:
            return C::special;
        case OperationGroup::convert:
            return pick(conversion_domain(instruction), C::integer, C::integer, C::fp64_add);
        case OperationGroup::exchange:
            return C::cross_lane;
        case OperationGroup::branch:
            return C::branch;
        case OperationGroup::exit:
            return C::exit;
        case OperationGroup::barrier:
            return C::barrier;
        case OperationGroup::fence:
            return C::fence;
        case OperationGroup::trap:
            return C::trap;
        case OperationGroup::texture:
            return C::texture;
        case OperationGroup::memory:
            return memory_class_of(instruction);
        case OperationGroup::none:
        case OperationGroup::move:
        case OperationGroup::logic:
        case OperationGroup::predicate:
        case OperationGroup::vote:
            break;
    }
    return C::integer;
}

namespace {

struct ClassInfo {
    InstructionClass instruction_class;
    ExecutionUnit unit;
    std::int64_t TimingParameters::*latency = nullptr;  ///< null: a cycle
    std::int64_t TimingParameters::*initiation = nullptr;
};

using C = InstructionClass;
using T = TimingParameters;
constexpr std::array<ClassInfo, kInstructionClasses> kClasses = {{
    {C::integer, ExecutionUnit::integer, &T::integer_latency, &T::integer_initiation},
    {C::integer_min_max, ExecutionUnit::integer, &T::integer_min_max_latency, &T::integer_min_max_initiation},
    {C::integer_multiply, ExecutionUnit::integer, &T::integer_multiply_latency, &T::integer_multiply_initiation},
    {C::integer_mad, ExecutionUnit::integer, &T::integer_mad_latency, &T::integer_mad_initiation},
    {C::integer_divide, ExecutionUnit::sfu, &T::integer_divide_latency, &T::integer_divide_initiation},
    {C::fp32_add, ExecutionUnit::sp, &T::fp32_add_latency, &T::fp32_add_initiation},
    {C::fp32_min_max, ExecutionUnit::sp, &T::fp32_min_max_latency, &T::fp32_min_max_initiation},
    {C::fp32_multiply, ExecutionUnit::sp, &T::fp32_multiply_latency, &T::fp32_multiply_initiation},
    {C::fp32_fma, ExecutionUnit::sp, &T::fp32_fma_latency, &T::fp32_fma_initiation},
    {C::fp32_divide, ExecutionUnit::sfu, &T::fp32_divide_latency, &T::fp32_divide_initiation},
    {C::fp64_add, ExecutionUnit::dp, &T::fp64_add_latency, &T::fp64_add_initiation},
    {C::fp64_multiply, ExecutionUnit::dp, &T::fp64_multiply_latency, &T::fp64_multiply_initiation},
    {C::fp64_fma, ExecutionUnit::dp, &T::fp64_fma_latency, &T::fp64_fma_initiation},
    {C::fp64_divide, ExecutionUnit::dp, &T::fp64_divide_latency, &T::fp64_divide_initiation},
    {C::special, ExecutionUnit::sfu, &T::special_latency, &T::special_initiation},
    {C::cross_lane, ExecutionUnit::sp, &T::cross_lane_latency, &T::cross_lane_initiation},
    {C::branch, ExecutionUnit::control},
    {C::exit, ExecutionUnit::control},
    {C::barrier, ExecutionUnit::control},
    {C::fence, ExecutionUnit::memory},
    {C::trap, ExecutionUnit::control},
    {C::load_global, ExecutionUnit::memory},
    {C::load_shared, ExecutionUnit::memory},
    {C::load_local, ExecutionUnit::memory},
    {C::load_constant, ExecutionUnit::memory},
    {C::store_global, ExecutionUnit::memory},
    {C::store_shared, ExecutionUnit::memory},
    {C::store_local, ExecutionUnit::memory},
    {C::atomic_global, ExecutionUnit::memory},
    {C::atomic_shared, ExecutionUnit::memory},
    {C::texture, ExecutionUnit::memory},
}};
static_assert(
    [] {
        unsigned number = 0;
        for (const ClassInfo& each : kClasses) {
            if (static_cast<unsigned>(each.instruction_class) != number++) { return false; }
        }
        return true;
    }(),
    "the classes are in the order of the enumeration");

}  // namespace

ExecutionUnit unit_of(InstructionClass instruction_class, bool integer_units) {
    const ExecutionUnit unit = kClasses[static_cast<unsigned>(instruction_class)].unit;
    return unit == ExecutionUnit::integer && !integer_units ? ExecutionUnit::sp : unit;
}

ClassTiming timing_of(InstructionClass instruction_class, const TimingParameters& timing) {
    const ClassInfo& info = kClasses[static_cast<unsigned>(instruction_class)];
    return info.latency == nullptr ? ClassTiming{} : ClassTiming{timing.*info.latency, timing.*info.initiation};
}

}  // namespace lookahead::gpu
