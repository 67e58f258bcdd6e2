#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/lane_mask.h"
#include "components/isa/modes.h"

namespace lookahead::finaliser {

namespace {

isa::BarrierKind barrier_kind(const ptx::Modifiers& modifiers) {
    if (modifiers.barrier == ptx::BarrierKind::sync) { return isa::BarrierKind::sync; }
    if (modifiers.barrier == ptx::BarrierKind::arrive) { return isa::BarrierKind::arrive; }
    return modifiers.combine == ptx::Combine::and_  ? isa::BarrierKind::bit_and
           : modifiers.combine == ptx::Combine::or_ ? isa::BarrierKind::bit_or
                                                    : isa::BarrierKind::popc;
}

void lower_barrier(LoweringContext& context) {
    const auto sources = context.instruction().sources();
    VirtualInstruction barrier = new_instruction(Operation::barrier);
    barrier.machine.barrier = barrier_kind(context.modifiers());
    const bool reduces = context.modifiers().barrier == ptx::BarrierKind::red;
    const std::size_t numbers = sources.size() - (reduces ? 1 : 0);
    if (sources[0].kind != ptx::OperandKind::immediate) {
        barrier.source[0] = context.source(0);
    } else if (sources[0].value > 15) {
        context.refuse("barriers are numbered from 0 to 15");
    } else {
        barrier.machine.mode = static_cast<std::uint8_t>(sources[0].value);
    }
    if (numbers > 1) {
        const bool known = sources[1].kind == ptx::OperandKind::immediate;
        if (known && (sources[1].value == 0 || sources[1].value % isa::kWarpSize != 0)) {
            context.refuse("a barrier's count of threads must be a positive multiple of 32");
        }
        barrier.source[1] = context.source(1);
    }
    if (!reduces) { return context.emit(barrier); }
    barrier.source_predicate[0] = context.predicate_source(sources.back());
    if (barrier.machine.barrier == isa::BarrierKind::popc) {
        barrier.machine.type = isa::Type::u32;
        return context.emit_result(barrier);
    }
    barrier.machine.type = isa::Type::pred;
    barrier.destination_predicate[0] = context.predicate_destination(context.destination());
    context.emit(barrier);
}

void set_second_destination(LoweringContext& context, VirtualInstruction& result) {
    const auto destinations = context.instruction().destinations();
    if (destinations.size() > 1) { result.destination_predicate[0] = context.predicate_destination(destinations[1]); }
}

void lower_shuffle(LoweringContext& context) {
    VirtualInstruction result = context.make_with_sources(Operation::shuffle, Type::b32);
    result.machine.mode = static_cast<std::uint8_t>(context.modifiers().shuffle);
    set_second_destination(context, result);
    context.emit_result(result);
}

void lower_vote(LoweringContext& context) {
    const auto sources = context.instruction().sources();
    const bool ballot = context.modifiers().vote == isa::VoteMode::ballot;
    VirtualInstruction result = context.make(Operation::vote, ballot ? Type::b32 : Type::pred);
    result.machine.mode = static_cast<std::uint8_t>(context.modifiers().vote);
    result.source_predicate[0] = context.predicate_source(sources[0]);
    if (sources.size() > 1) { result.source[0] = context.source(1); }
    if (ballot) { return context.emit_result(result); }
    result.destination_predicate[0] = context.predicate_destination(context.destination());
    context.emit(result);
}

void lower_match(LoweringContext& context) {
    const bool all = context.modifiers().vote == ptx::VoteMode::all;
    VirtualInstruction result = context.make_with_sources(Operation::match, context.type());
    result.machine.mode = static_cast<std::uint8_t>(all ? isa::MatchMode::all : isa::MatchMode::any);
    set_second_destination(context, result);
    context.emit_result(result);
}

void lower_redux(LoweringContext& context) {
    VirtualInstruction result = context.make_with_sources(Operation::redux, context.type());
    result.machine.atomic = context.modifiers().atomic;
    context.emit_result(result);
}

void lower_activemask(LoweringContext& context) {
    context.emit_result(context.make(Operation::activemask, Type::b32));
}

void lower_warp_sync(LoweringContext& context) {
    context.emit(context.make_with_sources(Operation::warp_sync, Type::none));
}

/// A sleep may take no time at all (PTX ISA, nanosleep). What remains is an instruction that the scheduler moves
/// nothing across and that lets a lane see other lanes' work.
void lower_sleep(LoweringContext& context) {
    context.emit(context.make(Operation::nop, Type::none));
}

constexpr Lowering kWarpOperations[] = {
    {Opcode::bar, lower_barrier},           {Opcode::barrier, lower_barrier},
    {Opcode::shfl, lower_shuffle},          {Opcode::vote, lower_vote},
    {Opcode::match, lower_match},           {Opcode::redux, lower_redux},
    {Opcode::activemask, lower_activemask}, {Opcode::bar_warp_sync, lower_warp_sync},
    {Opcode::nanosleep, lower_sleep},
};

}  // namespace

constinit const std::span<const Lowering> kWarpLowerings = kWarpOperations;

}  // namespace lookahead::finaliser
