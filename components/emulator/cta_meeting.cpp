// Lanes of a warp, and warps of a CTA, that wait for one another.
#include <fmt/core.h>

#include "components/emulator/cta.h"
#include "components/isa/failure.h"
#include "core/error/error.h"

namespace lookahead {

using isa::LaneMask;
using isa::SimtState;

void CtaRunner::meet(const EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    const isa::Instruction& instruction = *decoded.instruction;
    const LaneMask alive = warp.simt.alive();
    const isa::Members waiting = isa::members_of(warp.frame + decoded.member_row, active, alive);
    isa::OperandRows rows = operand_rows(decoded, warp.frame, warp.predicates);
    if (waiting.members != 0) { warp.exchange->put(rows, instruction, waiting.lanes); }
    switch (warp.simt.meet(waiting.lanes, waiting.members, isa::meeting_key(instruction), active & ~waiting.lanes)) {
        case SimtState::Arrival::alone:
            if (decoded.handler != nullptr) { compute(decoded, warp, active); }
            return warp.simt.advance();
        case SimtState::Arrival::resumed:
            warp.exchange->take(rows, instruction, active);
            warp.predicates[decoded.destination_predicate] = rows.destination_predicate;
            return warp.simt.advance();
        case SimtState::Arrival::apart:
            settle_meetings(warp);
            return check_runs(warp);
    }
}

/// On a stack: checks that all lanes that the member masks name execute the instruction together.
void CtaRunner::require_members(const EmulatedInstruction& decoded, const Warp& warp, LaneMask active) const {
    const LaneMask missing = isa::missing_members(warp.frame + decoded.member_row, active, warp.simt, *launch_.kernel);
    if (missing == 0) { return; }
    throw ProgramError("{}, warp {}: {}", describe(place(warp)), warp.first_thread / isa::kWarpSize,
                       isa::missing_members_sentence(active, missing));
}

/// Executes the instructions for which lanes have come together.
void CtaRunner::settle_meetings(Warp& warp) {
    if (warp.simt.meetings().empty()) { return; }
    for (const SimtState::Meeting& meeting : warp.simt.meetings()) {
        const EmulatedInstruction& decoded = launch_.code[meeting.pc];
        if (meeting.held) {
            arrive(arrival_of(decoded, warp, meeting.lanes), warp, meeting.lanes, warp.exchange->predicates());
        } else {
            warp.exchange->execute(decoded.handler, *decoded.instruction, meeting.lanes);
        }
    }
    warp.simt.forget_meetings();
}

isa::BarrierArrival CtaRunner::arrival_of(const EmulatedInstruction& decoded, const Warp& warp, LaneMask active) const {
    try {
        return isa::read_arrival(*decoded.instruction, warp.frame + decoded.source[0], warp.frame + decoded.source[1],
                                 active);
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", describe(place(warp)), error.what()); }
}

/// A warp arrives at a CTA's barrier with all its lanes that have not ended (PTX ISA, "bar, barrier").
void CtaRunner::barrier(const EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    const isa::BarrierArrival arrival = arrival_of(decoded, warp, active);
    isa::OperandRows rows = operand_rows(decoded, warp.frame, warp.predicates);
    const LaneMask alive = warp.simt.alive();
    if (warp.simt.model() == isa::SimtModel::stack) {
        // Lanes on other paths of this warp cannot run before the barrier opens, so it would never open.
        if (active != alive) {
            throw ProgramError(
                "{}: deadlock: barrier {} inside a divergent branch: of the warp's lanes {:#010x} only {:#010x} arrive",
                describe(place(warp)), arrival.number, alive, active);
        }
        return arrive(arrival, warp, active, rows.source_predicate);
    }
    if (active != alive) { warp.exchange->put(rows, *decoded.instruction, active); }
    switch (warp.simt.meet(active, isa::kFullMask, arrival.key(), 0, true)) {
        case SimtState::Arrival::alone:
            return arrive(arrival, warp, active, rows.source_predicate);
        case SimtState::Arrival::resumed:
            warp.exchange->take(rows, *decoded.instruction, active);
            warp.predicates[decoded.destination_predicate] = rows.destination_predicate;
            return warp.simt.advance();
        case SimtState::Arrival::apart:
            settle_meetings(warp);
            return check_runs(warp);
    }
}

void CtaRunner::arrive(const isa::BarrierArrival& arrival, Warp& warp, LaneMask lanes, LaneMask predicates) {
    try {
        barriers_[arrival.number].arrive(arrival, lanes, predicates);
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", describe(place(warp)), error.what()); }
    ready_changed_ = true;
    if (arrival.kind == isa::BarrierKind::arrive) {
        release(warp, 0);
    } else {
        warp.barrier = static_cast<int>(arrival.number);
    }
    complete_barrier(arrival.number);
}

void CtaRunner::complete_barrier(unsigned number) {
    isa::CtaBarrier& barrier = barriers_[number];
    if (!barrier.complete(live_warps_)) { return; }
    for (Warp& warp : warps_) {
        if (warp.barrier != static_cast<int>(number)) { continue; }
        warp.barrier = kNotWaiting;
        ++warp.passed_barriers;
        std::uint32_t pc = warp.simt.pc();
        if (!warp.simt.runs()) {
            warp.simt.for_each_waiting([&](std::uint32_t at, LaneMask, LaneMask) { pc = at; });
        }
        release(warp, barrier.result(launch_.code[pc].instruction->barrier));
    }
    barrier = {};
}

/// The warp continues after its barrier instruction; `result` is that of a reduction.
void CtaRunner::release(Warp& warp, std::uint32_t result) {
    if (!warp.simt.runs()) {
        warp.exchange->set_result(result, result != 0);
        return warp.simt.release();
    }
    const EmulatedInstruction& decoded = launch_.code[warp.simt.pc()];
    const LaneMask active = warp.simt.active() & decoded.guard.value(warp.predicates);
    if (decoded.instruction->destination_rows != 0) {
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            if (active >> lane & 1) { warp.frame[decoded.destination + lane] = result; }
        }
    }
    LaneMask& predicate = warp.predicates[decoded.destination_predicate];
    predicate = (predicate & ~active) | (result != 0 ? active : 0);
    warp.simt.advance();
}

/// A warp without a path that can run, and at no barrier, will never run: only its own lanes can wake them.
void CtaRunner::check_runs(const Warp& warp) const {
    if (warp.simt.runs() || warp.simt.done() || warp.waits()) { return; }
    std::string waiting;
    warp.simt.for_each_waiting([&](std::uint32_t pc, LaneMask lanes, LaneMask members) {
        waiting += fmt::format("{}lanes {:#010x} wait at {} for lanes {:#010x}", waiting.empty() ? "" : "; ", lanes,
                               describe_pc(pc), members & warp.simt.alive() & ~lanes);
    });
    throw ProgramError("{}, warp {}: deadlock: {}", describe_cta(), warp.first_thread / isa::kWarpSize, waiting);
}

void CtaRunner::report_deadlock() const {
    std::string waiting;
    for (const Warp& warp : warps_) {
        if (warp.simt.done()) { continue; }
        std::uint32_t pc = warp.simt.pc();
        if (!warp.simt.runs()) {
            warp.simt.for_each_waiting([&](std::uint32_t at, LaneMask, LaneMask) { pc = at; });
        }
        const auto number = static_cast<unsigned>(warp.barrier);
        waiting += fmt::format("{}warp {} waits at {}, {}:{}", waiting.empty() ? "" : "; ",
                               warp.first_thread / isa::kWarpSize, barriers_[number].describe(number, live_warps_),
                               launch_.kernel->source_file, launch_.kernel->code[pc].line);
    }
    throw ProgramError("{}: deadlock: {}", describe_cta(), waiting);
}

}  // namespace lookahead
