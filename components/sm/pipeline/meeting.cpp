// Lanes of a warp that wait for one another, and warps that wait at a CTA's barrier.

#include "components/isa/failure.h"
#include "components/sm/pipeline/execute_stage.h"
#include "core/error/error.h"
#include "core/state/state_hasher.h"

namespace lookahead::gpu {

using isa::LaneMask;
using isa::SimtState;

void ExecuteStage::meet(unsigned context, Stream& stream, const DecodedInstruction& decoded, LaneMask active, Cycle now,
                        Cycle from) {
    const isa::Instruction& instruction = *decoded.instruction;
    const std::uint32_t pc = stream.stack.pc();
    const std::uint32_t* masks = source_row(state_.warps.map.of(context), instruction.source[decoded.members], 0);
    const isa::Members waiting = isa::members_of(masks, active, stream.stack.alive());
    if (waiting.members != 0) {
        state_.exchanges[context].put(operand_rows(context, stream, decoded), instruction, waiting.lanes);
    }
    switch (stream.stack.meet(waiting.lanes, waiting.members, isa::meeting_key(instruction), active & ~waiting.lanes)) {
        case SimtState::Arrival::alone:
            if (decoded.handler != nullptr) { alu(context, stream, decoded, active); }
            schedule_write_back(context, pc, decoded, now, from);
            return step_past(context, stream);
        case SimtState::Arrival::resumed:
            return take_result(context, stream, decoded, active, now, from);
        case SimtState::Arrival::apart:
            settle_meetings(context, stream, now);
            return go_on(context, stream, pc);
    }
}

void ExecuteStage::require_members(unsigned context, const DecodedInstruction& decoded, LaneMask active) const {
    const isa::Operand& masks = decoded.instruction->source[decoded.members];
    const LaneMask missing = isa::missing_members(source_row(state_.warps.map.of(context), masks, 0), active,
                                                  state_.warps.streams[context].stack, state_.kernel->kernel());
    if (missing != 0) {
        throw ProgramError("{}: {}", place_of(context), isa::missing_members_sentence(active, missing));
    }
}

void ExecuteStage::take_result(unsigned context, Stream& stream, const DecodedInstruction& decoded, LaneMask active,
                               Cycle now, Cycle from) {
    isa::OperandRows rows = operand_rows(context, stream, decoded);
    state_.exchanges[context].take(rows, *decoded.instruction, active);
    stream.predicates[decoded.destination_predicate] = rows.destination_predicate;
    schedule_write_back(context, stream.stack.pc(), decoded, now, from);
    step_past(context, stream);
}

/// Executes the instructions for which lanes have come together.
void ExecuteStage::settle_meetings(unsigned context, Stream& stream, Cycle now) {
    if (stream.stack.meetings().empty()) { return; }
    isa::WarpExchange& exchange = state_.exchanges[context];
    for (const SimtState::Meeting& meeting : stream.stack.meetings()) {
        const DecodedInstruction& decoded = (*state_.kernel)[meeting.pc];
        if (meeting.held) {
            arrive(context, stream, arrival_of(context, decoded, meeting.lanes), meeting.lanes, exchange.predicates(),
                   now);
        } else {
            exchange.execute(decoded.handler, *decoded.instruction, meeting.lanes);
        }
    }
    stream.stack.forget_meetings();
}

isa::BarrierArrival ExecuteStage::arrival_of(unsigned context, const DecodedInstruction& decoded,
                                             LaneMask active) const {
    const isa::Instruction& instruction = *decoded.instruction;
    const std::uint16_t* map = state_.warps.map.of(context);
    const auto row = [&](unsigned source) {
        const isa::Operand& operand = instruction.source[source];
        return operand.kind == isa::Operand::Kind::none ? nullptr : source_row(map, operand, 0);
    };
    try {
        return isa::read_arrival(instruction, row(0), row(1), active);
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", place_of(context), error.what()); }
}

void ExecuteStage::barrier(unsigned context, Stream& stream, const DecodedInstruction& decoded, LaneMask active,
                           Cycle now, Cycle from) {
    const isa::BarrierArrival arrival = arrival_of(context, decoded, active);
    const LaneMask predicates = stream.predicates[decoded.source_predicate.slot] ^ decoded.source_predicate.flip;
    const LaneMask alive = stream.stack.alive();
    if (state_.kernel->kernel().recording != nullptr) {  // its warps arrive as a whole
        return arrive(context, stream, arrival, alive, predicates, now);
    }
    if (state_.simt == isa::SimtModel::stack) {
        if (active != alive) { return barriers_.arrive_in_part(context, arrival.number, active); }
        return arrive(context, stream, arrival, active, predicates, now);
    }
    const std::uint32_t pc = stream.stack.pc();
    if (active != alive) {
        state_.exchanges[context].put(operand_rows(context, stream, decoded), *decoded.instruction, active);
    }
    switch (stream.stack.meet(active, isa::kFullMask, arrival.key(), 0, true)) {
        case SimtState::Arrival::alone:
            return arrive(context, stream, arrival, active, predicates, now);
        case SimtState::Arrival::resumed:
            return take_result(context, stream, decoded, active, now, from);
        case SimtState::Arrival::apart:
            settle_meetings(context, stream, now);
            return go_on(context, stream, pc);
    }
}

void ExecuteStage::arrive(unsigned context, Stream& stream, const isa::BarrierArrival& arrival, LaneMask lanes,
                          LaneMask predicates, Cycle now) {
    bool waits = false;
    try {
        waits = barriers_.arrive(context, arrival, lanes, predicates, now);
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", place_of(context), error.what()); }
    if (waits) { return; }
    if (stream.stack.runs()) {
        step_past(context, stream);
    } else {
        stream.stack.release();
    }
}

void ExecuteStage::barrier_released(unsigned context, std::uint32_t result) {
    Stream& stream = state_.warps.streams[context];
    if (!stream.stack.runs()) {
        state_.exchanges[context].set_result(result, result != 0);
        stream.stack.release();
        state_.flush(context);
        return state_.classify(context);
    }
    const DecodedInstruction& decoded = (*state_.kernel)[stream.stack.pc()];
    const LaneMask active = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    if (decoded.instruction->destination_rows > 0) {
        std::uint32_t* row = destination_row(state_.warps.map.of(context), *decoded.instruction, 0);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            row[lane] = (active >> lane) & 1 ? result : row[lane];
        }
    }
    LaneMask& predicate = stream.predicates[decoded.destination_predicate];
    predicate = (predicate & ~active) | (result != 0 ? active : 0);
    step_past(context, stream);
}

/// Reports that none of the warp's paths can run, because only its own lanes could wake them.
void ExecuteStage::report_waiting_lanes(unsigned context) const {
    const Stream& stream = state_.warps.streams[context];
    const isa::Kernel& kernel = state_.kernel->kernel();
    std::string waiting;
    stream.stack.for_each_waiting([&](std::uint32_t pc, LaneMask lanes, LaneMask members) {
        waiting += fmt::format("{}lanes {:#010x} wait at line {} (PC {:#x}) for lanes {:#010x}",
                               waiting.empty() ? "" : "; ", lanes, kernel.code[pc].line, pc * kernel.instruction_bytes,
                               members & stream.stack.alive() & ~lanes);
    });
    throw ProgramError("{}: deadlock: {}", place_of(context), waiting);
}

/// Lanes on a stack have spun for sm.spin_limit turns while others of their warp wait for them. If the warp's registers
/// do not change for some more turns, the spinning is reported as endless.
void ExecuteStage::watch_spinning(unsigned context, Stream& stream) {
    constexpr std::uint32_t kTurns = 16;
    const std::uint32_t turn = stream.stack.spins() % state_.spin_limit;
    if (turn > kTurns) { return; }
    StateHasher hasher;
    const std::uint16_t* map = state_.warps.map.of(context);
    for (unsigned i = 0; i < state_.kernel->kernel().registers; ++i) {
        hasher.add_bytes(state_.registers.row(map[i]), sizeof(std::uint32_t) * isa::kWarpSize);
    }
    for (unsigned i = 0; i < isa::kPredicateRegisters; ++i) { hasher.add(stream.predicates[i]); }
    const bool same = turn != 0 && hasher.value() == stream.spinning_state;
    stream.spins_unchanged = same ? stream.spins_unchanged + 1 : 0;
    stream.spinning_state = hasher.value();
    if (stream.spins_unchanged < kTurns) { return; }
    throw ProgramError(
        "{}: livelock: lanes {:#010x} have branched back {} times while lanes {:#010x} wait for them to reconverge, "
        "and "
        "nothing in the warp changes; sm.simt=convergence_barrier runs both, sm.spin_limit sets how long to wait",
        place_of(context), stream.stack.active(), stream.stack.spins(), stream.stack.alive() & ~stream.stack.active());
}

}  // namespace lookahead::gpu
