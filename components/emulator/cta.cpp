#include "components/emulator/cta.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "components/isa/failure.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead {

using isa::Action;
using isa::LaneMask;

CtaRunner::CtaRunner(LaunchState& launch, MemoryUnit& memory) : launch_(launch), memory_(memory) {
    const isa::Kernel& kernel = *launch.kernel;
    const std::uint32_t warps = isa::warps_per_cta(launch.configuration.block);
    const std::size_t frame_rows =
        kernel.registers + launch.constants.size() + (launch.queues != nullptr ? kDequeuedRows : 0);
    frames_.resize(warps * frame_rows);
    warps_.resize(warps);
    for (std::uint32_t i = 0; i < warps; ++i) {
        isa::Row* const frame = &frames_[i * frame_rows];
        std::copy(launch.constants.begin(), launch.constants.end(), frame + kernel.registers);
        warps_[i].frame = frame->lanes;
        warps_[i].first_thread = i * isa::kWarpSize;
    }
    if (launch.simt == isa::SimtModel::stack) { return; }
    exchanges_.resize(warps);
    for (std::uint32_t i = 0; i < warps; ++i) { warps_[i].exchange = &exchanges_[i]; }
}

void CtaRunner::begin(const isa::Dim3& ctaid) {
    const isa::Kernel& kernel = *launch_.kernel;
    const std::uint64_t threads = launch_.configuration.block.count();
    ctaid_ = ctaid;
    barriers_.fill({});
    live_warps_ = static_cast<std::uint32_t>(warps_.size());
    restart_patience();
    memory_.begin_cta(std::uint64_t{kernel.static_shared_bytes} + launch_.configuration.dynamic_shared_bytes,
                      kernel.local_bytes, threads);
    for (Warp& warp : warps_) {
        warp.simt.start(launch_.simt, 0, isa::initial_mask(threads, warp.first_thread));
        warp.barrier = kNotWaiting;
        warp.passed_barriers = 0;
        std::fill(warp.frame, warp.frame + kernel.registers * isa::kWarpSize, 0);
        std::fill(std::begin(warp.predicates), std::end(warp.predicates), 0);
        warp.predicates[isa::kTruePredicate] = isa::kFullMask;
    }
    if (launch_.queues != nullptr) { launch_.queues->begin_cta(ctaid_); }
}

void CtaRunner::run_round(std::uint64_t stretch, std::uint64_t watched_after) {
    if (done()) { return; }
    const bool watched = uninterrupted_ >= watched_after;
    if (watched) { memory_.watch(); }
    const std::uint64_t before = launch_.executed;
    const std::uint32_t warps = live_warps_;
    run_warps(stretch);
    const bool changed = !watched || memory_.changed_for_others() || live_warps_ != warps;
    const std::uint64_t each = (launch_.executed - before + warps - 1) / warps;
    uninterrupted_ = live_warps_ != warps ? 0 : uninterrupted_ + each;
    quiet_ = changed ? 0 : quiet_ + each;
}

void CtaRunner::run_warps(std::uint64_t stretch) {
    find_ready_warps();
    if (ready_warps_.empty()) { report_deadlock(); }
    for (std::uint64_t turn = 0; turn < stretch && !ready_warps_.empty(); ++turn) {
        const std::uint64_t before = launch_.executed;
        for (Warp* warp : ready_warps_) {
            if (launch_.executed == launch_.instruction_limit) { report_limit(*warp); }
            if (launch_.queues == nullptr || has_what_it_dequeues(*warp)) { run_one(*warp); }
        }
        if (launch_.executed == before) {
            throw InternalError("{}: all warps wait for reports of others", describe_cta());
        }
        if (ready_changed_) { find_ready_warps(); }
    }
}

void CtaRunner::find_ready_warps() {
    ready_changed_ = false;
    ready_warps_.clear();
    for (Warp& warp : warps_) {
        if (!warp.simt.done() && !warp.waits()) { ready_warps_.push_back(&warp); }
    }
}

void CtaRunner::report_limit(const Warp& warp) const {
    throw ProgramError("{}: the limit of {} warp instructions is reached", describe(place(warp)),
                       launch_.instruction_limit);
}

bool CtaRunner::has_what_it_dequeues(const Warp& warp) const {
    const EmulatedInstruction& decoded = launch_.code[warp.simt.pc()];
    const bool is_branch = decoded.action == Action::queue && decoded.instruction->dequeues;
    const bool is_predicate = is_branch || decoded.instruction->operation == isa::Operation::dequeue;
    if (!is_predicate && !decoded.instruction->dequeues) { return true; }
    const LaneMask lanes = warp.simt.active() & decoded.guard.value(warp.predicates);
    return (lanes == 0 && !is_branch) || launch_.queues->is_there(place(warp), is_predicate);
}

void CtaRunner::step(Warp& warp) {
    run_one(warp);
}

inline void CtaRunner::run_one(Warp& warp) {
    const std::uint32_t pc = warp.simt.pc();
    LOOKAHEAD_DEBUG_ASSERT(pc < launch_.code.size(), "a warp ran beyond the end of its kernel");
    EmulatedInstruction& decoded = launch_.code[pc];
    const LaneMask guard = decoded.guard.value(warp.predicates);
    const LaneMask active = warp.simt.active() & guard;
    InstructionCount& count = launch_.counts[pc];
    ++count.warps;
    count.threads += static_cast<unsigned>(std::popcount(active));
    ++launch_.executed;
    if (launch_.observer != nullptr) [[unlikely]] {
        launch_.observer->executing(place(warp), active, warp.frame, warp.predicates);
    }
    execute(decoded, warp, active);
}

void CtaRunner::compute(const EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    isa::OperandRows rows = operand_rows(decoded, warp.frame, warp.predicates);
    isa::execute(decoded, rows, active);
    // The complement first: if both destinations are one predicate, the first one counts.
    warp.predicates[decoded.destination_predicate2] = rows.destination_predicate2;
    warp.predicates[decoded.destination_predicate] = rows.destination_predicate;
}

inline void CtaRunner::execute(EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    if (decoded.action == Action::branch) {
        return warp.simt.branch(active & decoded.branch_condition(warp.predicates), *decoded.instruction);
    }
    if (active == 0) {
        if (decoded.action == Action::queue && decoded.instruction->dequeues) { return dequeue_branch(decoded, warp); }
        return warp.simt.advance();
    }
    switch (decoded.action) {
        case Action::alu:
            compute(decoded, warp, active);
            break;
        case Action::special_register:
            read_special(decoded, warp, active);
            break;
        case Action::memory:
            if (decoded.instruction->dequeues) { dequeue_address(decoded, warp, active); }
            memory_.execute(decoded, warp.frame, active, place(warp));
            break;
        case Action::convergence:
            return warp.simt.converge(active & decoded.branch_condition(warp.predicates), *decoded.instruction);
        case Action::computed_branch:
            return computed_branch(decoded, warp, active);
        case Action::exit:
            active &= decoded.branch_condition(warp.predicates);
            if (active == 0) { break; }
            return exit(warp, active);
        case Action::barrier:
            return barrier(decoded, warp, active);
        case Action::meeting:
            return meet(decoded, warp, active);
        case Action::converged:
            require_members(decoded, warp, active);
            if (decoded.handler != nullptr) { compute(decoded, warp, active); }
            break;
        case Action::trap:
            trap(decoded, warp, active);
        case Action::queue:
            if (decoded.instruction->dequeues) { return dequeue_branch(decoded, warp); }
            if (decoded.instruction->operation == isa::Operation::dequeue) {
                dequeue(decoded, warp, active);
            } else {
                launch_.queues->report(place(warp), active, decoded.source_predicate.value(warp.predicates));
            }
            break;
        case Action::fence:  // warps run one at a time, each in program order
        case Action::branch:
        case Action::recorded:
        case Action::recorded_branch:
        case Action::nothing:
            break;
    }
    warp.simt.advance();
}

void CtaRunner::computed_branch(const EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    const std::uint32_t* const row = warp.frame + decoded.source[0];
    const LaneMask taken = isa::lanes_equal_to_first(row, active);
    try {
        warp.simt.jump(taken, launch_.kernel->computed_target(*decoded.instruction, row[std::countr_zero(active)]));
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", describe(place(warp)), error.what()); }
}

void CtaRunner::exit(Warp& warp, LaneMask active) {
    warp.simt.exit(active);
    settle_meetings(warp);
    if (!warp.simt.done()) { return check_runs(warp); }
    --live_warps_;
    ready_changed_ = true;
    if (live_warps_ == 0 && launch_.queues != nullptr) { launch_.queues->end_cta(ctaid_); }
    // As on the hardware, barriers do not wait for exited warps.
    for (unsigned number = 0; number < isa::kBarriersPerCta; ++number) { complete_barrier(number); }
}

void CtaRunner::dequeue(const EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    const LaneMask holds = launch_.queues->predicate(place(warp), active);
    LaneMask& complement = warp.predicates[decoded.destination_predicate2];
    complement = (complement & ~active) | (~holds & active);
    LaneMask& predicate = warp.predicates[decoded.destination_predicate];
    predicate = (predicate & ~active) | (holds & active);
}

void CtaRunner::dequeue_branch(const EmulatedInstruction& decoded, Warp& warp) {
    const LaneMask lanes = warp.simt.active();
    dequeue(decoded, warp, lanes);
    warp.simt.branch(decoded.guard.value(warp.predicates) & lanes, *decoded.instruction);
}

void CtaRunner::dequeue_address(const EmulatedInstruction& decoded, Warp& warp, LaneMask active) {
    std::uint64_t addresses[isa::kWarpSize] = {};
    launch_.queues->addresses(place(warp), active, addresses);
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        warp.frame[decoded.source[0] + lane] = static_cast<std::uint32_t>(addresses[lane]);
        warp.frame[decoded.source[0] + isa::kWarpSize + lane] = static_cast<std::uint32_t>(addresses[lane] >> 32);
    }
}

void CtaRunner::read_special(const EmulatedInstruction& decoded, const Warp& warp, LaneMask active) {
    isa::Row low, high;
    clock_read_ |= decoded.instruction->special >= isa::SpecialRegister::clock;
    isa::read_special(decoded.instruction->special, identity(warp), low.lanes, high.lanes);
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        if (!(active >> lane & 1)) { continue; }
        warp.frame[decoded.destination + lane] = low.lanes[lane];
        if (decoded.instruction->destination_rows == 2) {
            warp.frame[decoded.destination + isa::kWarpSize + lane] = high.lanes[lane];
        }
    }
}

void CtaRunner::trap(const EmulatedInstruction& decoded, const Warp& warp, LaneMask active) const {
    const auto fault = [&](KernelFault::Kind kind, const std::string& reason) {
        return KernelFault(kind, fmt::format("{}: {}", describe(place(warp)), reason));
    };
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const auto row = [&](unsigned source, unsigned word) {
        return warp.frame + decoded.source[source] + word * isa::kWarpSize;
    };
    switch (static_cast<isa::TrapMode>(decoded.instruction->mode)) {
        case isa::TrapMode::plain:
            throw fault(KernelFault::Kind::trap, "trap");
        case isa::TrapMode::stack:
            throw fault(KernelFault::Kind::trap, isa::stack_overflow_sentence());
        case isa::TrapMode::call:
            throw fault(KernelFault::Kind::trap, isa::wrong_call_sentence(row(0, 0)[lane], row(0, 1)[lane]));
        default:
            break;
    }
    const std::uint32_t* const texts[4] = {row(0, 0), row(0, 1), row(0, 2), row(0, 3)};
    const std::uint32_t* const rest[3] = {row(1, 0), row(1, 1), row(1, 2)};
    const auto assertion = isa::FailedAssertion::read(texts, rest, lane);
    throw fault(KernelFault::Kind::assertion, isa::sentence(assertion, *launch_.image, ctaid_,
                                                            launch_.configuration.block, warp.first_thread + lane));
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
    identity.launch = launch_.number;
    return identity;
}

ExecutionPlace CtaRunner::place(const Warp& warp, std::uint32_t pc) const {
    return {*launch_.kernel, launch_.configuration.block, ctaid_, warp.first_thread, pc, warp.passed_barriers};
}

std::string CtaRunner::describe_cta() const {
    return fmt::format("kernel {}, CTA ({}, {}, {})", launch_.kernel->name, ctaid_.x, ctaid_.y, ctaid_.z);
}

std::string CtaRunner::describe_pc(std::uint32_t pc) const {
    return fmt::format("{}:{} (PC {:#x})", launch_.kernel->source_file, launch_.kernel->code[pc].line,
                       pc * isa::kInstructionBytes);
}

}  // namespace lookahead
