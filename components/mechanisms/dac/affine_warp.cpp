// What the affine warp does with its instructions.
#include <algorithm>
#include <bit>

#include "components/mechanisms/dac/dac.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using gpu::DecodedInstruction;
using isa::LaneMask;
using isa::Operation;

template <class Visit>
void Dac::for_each_served(Visit visit) const {
    for (std::uint64_t left = served_; left != 0; left &= left - 1) {
        visit(static_cast<unsigned>(std::countr_zero(left)));
    }
}

void Dac::note_affine_wait(Wait wait) {
    const auto cycles = static_cast<std::uint64_t>(state_.now - waits_since_);
    counters_.atq_full_cycles += waits_for_ == Wait::entry ? cycles : 0;
    counters_.pwpq_full_cycles += waits_for_ == Wait::lines ? cycles : 0;
    counters_.report_wait_cycles += waits_for_ == Wait::report ? cycles : 0;
    waits_for_ = wait;
    waits_since_ = state_.now;
}

bool Dac::some_predicate_queue_is_full() const {
    const gpu::Occupancy& occupancy = state_.launch.occupancy;
    const auto end = predicate_queues_.begin() + occupancy.ctas * occupancy.warps_per_cta;
    return std::any_of(predicate_queues_.begin(), end, [](const PredicateQueue& queue) { return queue.full(); });
}

bool Dac::all_have_reported() const {
    for (unsigned context = 0; context < reports_.size(); ++context) {
        if (stack_.threads()[context] != 0 && reports_[context].empty()) { return false; }
    }
    return true;
}

/// Section 4.5: non-affine warps provide the bit vectors of branches that depend on data. The affine warp leads all of
/// them through one stack, so it waits for all.
void Dac::take_reports(const isa::Instruction& instruction) {
    const SmThreads& active = stack_.threads();
    SmThreads holds{};
    for (unsigned context = 0; context < reports_.size(); ++context) {
        if (active[context] == 0) { continue; }
        const QueuedPredicate& report = reports_[context].front();
        const isa::Kernel& kernel = *launch_.kernel;
        LOOKAHEAD_ASSERT(kernel.origins[report.name.pc] == kernel.origins[stack_.pc()],
                         execute_.place_of(context) + ": has reported on another branch than the affine warp is at");
        LOOKAHEAD_ASSERT(report.name.active == active[context],
                         execute_.place_of(context) + ": has reported for other lanes than the affine warp has there");
        holds[context] = report.holds;
        reports_[context].pop();
        ++counters_.report_accesses;
        wake(context);
    }
    for_each_served([&](unsigned slot) {
        ctas_[slot].take(instruction.destination_predicate, of_slot(active, slot), of_slot(holds, slot));
    });
}

/// Section 4.1: no instruction that enqueues issues while the tuple queue is full, or some warp's predicate queue.
ContextState Dac::judge(unsigned) {
    const std::uint32_t pc = stack_.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const ContextState state = state_.waits_for(streams_.set(), kAffine, pc, state_.kernel->needs(pc));
    if (state != gpu::ready_for(decoded.unit)) { return state; }
    switch (decoded.instruction->operation) {
        case Operation::enqueue:
            if (LOOKAHEAD_RULE(full_tuple_queue_stops_enqueue) && atq_.full()) {
                note_affine_wait(Wait::entry);
                return ContextState::blocked_by_pipeline;
            }
            if (LOOKAHEAD_RULE(full_predicate_queue_stops_enqueue) && some_predicate_queue_is_full()) {
                note_affine_wait(Wait::lines);
                return ContextState::blocked_by_pipeline;
            }
            note_affine_wait(Wait::nothing);
            return state;
        case Operation::dequeue:
            if (LOOKAHEAD_RULE(affine_branch_awaits_reports) && !all_have_reported()) {
                note_affine_wait(Wait::report);
                return ContextState::blocked_by_pipeline;
            }
            note_affine_wait(Wait::nothing);
            return state;
        case Operation::barrier:
        case Operation::membar:
            return ContextState::ready_control;  // nothing waits for it here
        default:
            return state;
    }
}

/// The running threads for which the guard holds.
SmThreads Dac::guarded(const isa::Instruction& instruction) const {
    SmThreads result = stack_.threads();
    if (instruction.guard == isa::kTruePredicate && !instruction.guard_negated) { return result; }
    for_each_served([&](unsigned slot) {
        const Threads holds = ctas_[slot].predicate(instruction.guard, instruction.guard_negated);
        to_slot(result, slot, both(of_slot(result, slot), holds));
    });
    return result;
}

void Dac::go_on() {
    if (stack_.done()) { return end_run(); }
    streams_.go_to(kAffine, stack_.pc(), true);
}

void Dac::issue(unsigned scheduler, unsigned, Cycle now) {
    const std::uint32_t pc = stack_.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const isa::Instruction& instruction = *decoded.instruction;
    const SmThreads active = guarded(instruction);
    ++counters_.instructions;
    switch (instruction.operation) {
        case Operation::bra:
            return branch(instruction, active, now);
        case Operation::exit:
            stack_.leave(active);
            return go_on();
        case Operation::barrier:
        case Operation::membar:
            for (unsigned context = 0; context < active.size(); ++context) {
                markers_enqueued_[context] += active[context] != 0;
            }
            stack_.advance();
            return go_on();
        case Operation::dequeue:
            take_reports(instruction);
            stack_.advance();
            return go_on();
        case Operation::nop:
            stack_.advance();
            return go_on();
        default:
            break;
    }
    const std::uint16_t* map = streams_.set().map.of(kAffine);
    std::uint16_t reads[gpu::kMaximumReads];
    for (unsigned i = 0; i < decoded.reads; ++i) { reads[i] = map[decoded.read_registers()[i]]; }
    const Cycle from = issue_.enter(scheduler, decoded, {reads, decoded.reads},
                                    {map + instruction.destination, instruction.destination_rows}, now);
    if (instruction.operation == Operation::enqueue) {
        enqueue(pc, active, from);
    } else {
        for_each_served([&](unsigned slot) { ctas_[slot].compute(pc, of_slot(active, slot)); });
        if (decoded.writes) {
            streams_.set().scoreboard.reserve(kAffine, state_.kernel->writes(pc), false);
            schedule(generation_, pc, now, from + decoded.latency);
        }
    }
    stack_.advance();
    go_on();
}

void Dac::event(unsigned generation, std::uint32_t pc, Cycle) {
    if (generation == generation_ && streams_.running() != 0) {
        streams_.set().scoreboard.release(kAffine, state_.kernel->writes(pc));
        streams_.renew(kAffine);
    }
}

/// The warp-level stack has a code for each warp, which are written together; of a warp whose lanes part the per-warp
/// stack is written too, one a cycle (section 4.5).
void Dac::branch(const isa::Instruction& instruction, const SmThreads& taken, Cycle now) {
    Cycle parted = 0;
    for (unsigned context = 0; context < taken.size(); ++context) {
        parted += taken[context] != 0 && taken[context] != stack_.threads()[context];
    }
    counters_.path_updates += static_cast<std::uint64_t>(parted);
    stack_.branch(instruction, taken);
    go_on();
    if (!stack_.done()) { streams_.await_branch(kAffine, now, parted); }
}

/// The tuple is in the queue from when on its operands have been read.
void Dac::enqueue(std::uint32_t pc, const SmThreads& active, Cycle from) {
    const isa::Instruction& instruction = state_.kernel->kernel().code[pc];
    ++counters_.enqueues;
    if (none(active)) { return; }
    LOOKAHEAD_ASSERT(!atq_.full(), "the affine tuple queue overflows");
    AtqEntry& entry = atq_.push();
    ++counters_.atq_accesses;
    entry.mode = static_cast<isa::QueueMode>(instruction.mode);
    entry.pc = pc;
    entry.active = active;
    entry.markers = markers_enqueued_;
    const bool of_predicate = entry.of_predicate();
    auto& enqueued = of_predicate ? predicates_enqueued_ : addresses_enqueued_;
    entry.sequence = enqueued;
    for (unsigned context = 0; context < active.size(); ++context) { enqueued[context] += active[context] != 0; }
    entry.holds = {};
    entry.comparisons = {};
    entry.tried = 0;
    const unsigned warps = state_.launch.occupancy.warps_per_cta;
    for (AffineRegister& tuples : entry.tuples) { tuples.clear(); }
    for_each_served([&](unsigned slot) {
        const Threads threads = of_slot(active, slot);
        if (none(threads)) { return; }
        if (!of_predicate) { return ctas_[slot].read(pc, instruction.source[0], threads, entry.tuples[slot]); }
        const Threads holds = ctas_[slot].predicate(instruction.source_predicate, instruction.source_predicate_negated);
        to_slot(entry.holds, slot, both(holds, threads));
        for (unsigned warp = 0; warp < warps; ++warp) {
            entry.comparisons[slot * warps + warp] = ctas_[slot].comparisons(instruction.source_predicate, warp);
        }
    });
    note_pending(entry, from);
}

}  // namespace lookahead::dac
