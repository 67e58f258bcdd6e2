#include "components/emulator/cta.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "components/isa/failure.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead {

using isa::LaneMask;

namespace {

/// Instructions after which a warp that meets no barrier lets the others run.
constexpr std::uint64_t kStretch = 1 << 16;

isa::OperandRows operand_rows(const DecodedInstruction& decoded, std::uint32_t* frame, const LaneMask* predicates) {
    isa::OperandRows rows;
    for (unsigned i = 0; i < 2; ++i) rows.destination[i] = frame + decoded.destination[i];
    for (unsigned s = 0; s < 3; ++s)
        for (unsigned i = 0; i < 2; ++i) rows.source[s][i] = frame + decoded.source[s][i];
    rows.source_predicate = predicates[decoded.source_predicate] ^ decoded.source_predicate_flip;
    rows.source_predicate2 = predicates[decoded.source_predicate2] ^ decoded.source_predicate2_flip;
    rows.destination_predicate = predicates[decoded.destination_predicate];
    rows.destination_predicate2 = predicates[decoded.destination_predicate2];
    return rows;
}

}  // namespace

CtaRunner::CtaRunner(LaunchState& launch, MemoryUnit& memory) : launch_(launch), memory_(memory) {
    const isa::Kernel& kernel = *launch.kernel;
    const std::uint32_t warps = isa::warps_per_cta(launch.configuration.block);
    const std::size_t frame_rows = kernel.registers + launch.constants.size();
    frames_.resize(warps * frame_rows);
    warps_.resize(warps);
    for (std::uint32_t i = 0; i < warps; ++i) {
        isa::Row* const frame = &frames_[i * frame_rows];
        std::copy(launch.constants.begin(), launch.constants.end(), frame + kernel.registers);
        warps_[i].frame = frame->lanes;
        warps_[i].first_thread = i * isa::kWarpSize;
    }
}

void CtaRunner::begin(const isa::Dim3& ctaid) {
    const isa::Kernel& kernel = *launch_.kernel;
    const std::uint64_t threads = launch_.configuration.block.count();
    ctaid_ = ctaid;
    memory_.begin_cta(std::uint64_t{kernel.static_shared_bytes} + launch_.configuration.dynamic_shared_bytes,
                      kernel.local_bytes, threads);
    for (Warp& warp : warps_) {
        warp.stack = isa::SimtStack(0, isa::initial_mask(threads, warp.first_thread));
        warp.barrier = kNotWaiting;
        warp.passed_barriers = 0;
        std::fill(warp.frame, warp.frame + kernel.registers * isa::kWarpSize, 0);
        std::fill(std::begin(warp.predicates), std::end(warp.predicates), 0);
        warp.predicates[isa::kTruePredicate] = isa::kFullMask;
    }
}

void CtaRunner::run(const isa::Dim3& ctaid) {
    begin(ctaid);
    for (;;) {
        bool ran = false, alive = false;
        for (Warp& warp : warps_) {
            alive |= !warp.stack.done();
            if (warp.stack.done() || warp.waits()) continue;
            run_warp(warp);
            ran = true;
        }
        if (!alive) return;
        if (!release_barrier() && !ran) report_deadlock();
    }
}

void CtaRunner::run_warp(Warp& warp) {
    const std::uint64_t budget = std::min(kStretch, launch_.instruction_limit - launch_.executed);
    if (budget == 0)
        throw ProgramError(fmt::format("{}: the limit of {} warp instructions is reached", describe(place(warp)),
                                       launch_.instruction_limit));
    const std::uint64_t end = launch_.executed + budget;
    while (launch_.executed != end && !warp.stack.done() && !warp.waits()) {
        const std::uint32_t pc = warp.stack.pc();
        LOOKAHEAD_DEBUG_ASSERT(pc < launch_.code.size(), "a warp ran beyond the end of its kernel");
        DecodedInstruction& decoded = launch_.code[pc];
        const LaneMask guard = warp.predicates[decoded.guard] ^ decoded.guard_flip;
        const LaneMask active = warp.stack.active() & guard;
        InstructionCount& count = launch_.counts[pc];
        ++count.warps;
        count.threads += static_cast<unsigned>(std::popcount(active));
        ++launch_.executed;
        execute(decoded, warp, active);
    }
}

void CtaRunner::execute(DecodedInstruction& decoded, Warp& warp, LaneMask active) {
    if (decoded.action == Action::branch) return branch(decoded, warp, active);
    if (active == 0) return warp.stack.advance();
    switch (decoded.action) {
        case Action::alu: {
            isa::OperandRows rows = operand_rows(decoded, warp.frame, warp.predicates);
            decoded.handler(rows, active, *decoded.instruction);
            // The complement first: if both go to one predicate the first destination counts.
            warp.predicates[decoded.destination_predicate2] = rows.destination_predicate2;
            warp.predicates[decoded.destination_predicate] = rows.destination_predicate;
            break;
        }
        case Action::read_special:
            read_special(decoded, warp, active);
            break;
        case Action::load:
            memory_.load(decoded, warp.frame, active, place(warp));
            break;
        case Action::store:
            memory_.store(decoded, warp.frame, active, place(warp));
            break;
        case Action::atomic:
            memory_.atomic(decoded, warp.frame, active, place(warp));
            break;
        case Action::exit:
            return warp.stack.exit(active);
        case Action::barrier:
            return arrive(decoded, warp);
        case Action::trap:
            trap(decoded, warp, active);
        case Action::branch:
        case Action::nothing:
            break;
    }
    warp.stack.advance();
}

void CtaRunner::read_special(const DecodedInstruction& decoded, const Warp& warp, LaneMask active) {
    isa::Row low, high;
    isa::read_special(decoded.instruction->special, identity(warp), low.lanes, high.lanes);
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        if (!(active >> lane & 1)) continue;
        warp.frame[decoded.destination[0] + lane] = low.lanes[lane];
        if (decoded.instruction->destination_rows == 2) warp.frame[decoded.destination[1] + lane] = high.lanes[lane];
    }
}

void CtaRunner::trap(const DecodedInstruction& decoded, const Warp& warp, LaneMask active) const {
    if (decoded.instruction->mode == static_cast<std::uint8_t>(isa::TrapMode::plain))
        throw KernelFault(KernelFault::Kind::trap, fmt::format("{}: trap", describe(place(warp))));
    const auto row = [&](unsigned source, unsigned word) {
        return warp.frame + decoded.source[source][0] + word * isa::kWarpSize;
    };
    const std::uint32_t* const texts[4] = {row(0, 0), row(0, 1), row(0, 2), row(0, 3)};
    const std::uint32_t* const rest[3] = {row(1, 0), row(1, 1), row(1, 2)};
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const auto assertion = isa::FailedAssertion::read(texts, rest, lane);
    throw KernelFault(KernelFault::Kind::assertion,
                      fmt::format("{}: {}", describe(place(warp)),
                                  isa::sentence(assertion, *launch_.image, ctaid_, launch_.configuration.block,
                                                warp.first_thread + lane)));
}

void CtaRunner::branch(const DecodedInstruction& decoded, Warp& warp, LaneMask taken) {
    const isa::Instruction& instruction = *decoded.instruction;
    warp.stack.branch(taken, instruction.target, warp.stack.pc() + 1, instruction.reconvergence);
}

void CtaRunner::arrive(const DecodedInstruction& decoded, Warp& warp) {
    // Lanes on other paths of this warp cannot run before the barrier opens, so it never would.
    if (warp.stack.diverged())
        throw ProgramError(fmt::format(
            "{}: deadlock: barrier {} inside a divergent branch: of the warp's lanes {:#010x} only {:#010x} arrive",
            describe(place(warp)), decoded.instruction->mode, warp.stack.alive(), warp.stack.active()));
    warp.barrier = decoded.instruction->mode;
}

bool CtaRunner::release_barrier() {
    int barrier = kNotWaiting;
    for (const Warp& warp : warps_) {
        if (warp.stack.done()) continue;  // as on the hardware, who has exited is not waited for
        if (!warp.waits() || (barrier != kNotWaiting && barrier != warp.barrier)) return false;
        barrier = warp.barrier;
    }
    if (barrier == kNotWaiting) return false;
    for (Warp& warp : warps_) {
        if (!warp.waits()) continue;
        warp.barrier = kNotWaiting;
        ++warp.passed_barriers;
        warp.stack.advance();
    }
    return true;
}

void CtaRunner::report_deadlock() const {
    std::string waiting;
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        const Warp& warp = warps_[i];
        if (warp.stack.done()) continue;
        waiting += fmt::format("{}warp {} waits at barrier {}, {}:{}", waiting.empty() ? "" : "; ", i, warp.barrier,
                               launch_.kernel->source_file, launch_.kernel->code[warp.stack.pc()].line);
    }
    throw ProgramError(fmt::format("kernel {}, CTA ({}, {}, {}): deadlock: {}", launch_.kernel->name, ctaid_.x,
                                   ctaid_.y, ctaid_.z, waiting));
}

isa::WarpIdentity CtaRunner::identity(const Warp& warp) const {
    isa::WarpIdentity identity;
    identity.ctaid = ctaid_;
    identity.block = launch_.configuration.block;
    identity.first_thread = warp.first_thread;
    identity.warp_slot = warp.first_thread / isa::kWarpSize;
    identity.warp_slots = static_cast<std::uint32_t>(warps_.size());
    identity.sms = 1;
    identity.clock = launch_.executed;
    identity.nanoseconds = launch_.executed;
    return identity;
}

ExecutionPlace CtaRunner::place(const Warp& warp) const {
    return {*launch_.kernel, launch_.configuration.block, ctaid_, warp.first_thread,
            warp.stack.pc(), warp.passed_barriers};
}

}  // namespace lookahead
