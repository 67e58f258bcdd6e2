#include "components/mechanisms/dac/affine_warp.h"

#include <algorithm>

#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using gpu::ContextState;
using gpu::DecodedInstruction;
using isa::LaneMask;
using isa::Operation;

namespace {

gpu::IssuePriority priority_of(const std::string& name) {
    return name == "above"    ? gpu::IssuePriority::above
           : name == "beside" ? gpu::IssuePriority::beside
                              : gpu::IssuePriority::below;
}

/// The affine warp belongs to the first scheduler.
std::vector<gpu::ContextMask> first_scheduler(unsigned schedulers) {
    std::vector<gpu::ContextMask> masks(schedulers, gpu::ContextMask{});
    masks[0] = gpu::context_bit(0);
    return masks;
}

/// Whether the enqueue is of a predicate.
bool is_predicate(const isa::Instruction& instruction) {
    return instruction.mode == static_cast<std::uint8_t>(isa::QueueMode::predicate);
}

}  // namespace

AffineWarp::AffineWarp(const DacParameters& parameters, const gpu::IssueExtensionArguments& sm, const DacLaunch& launch,
                       TupleQueue& tuples, WarpQueues& queues, DacCounters& counters)
    : sm_(sm),
      launch_(launch),
      tuples_(tuples),
      queues_(queues),
      counters_(counters),
      streams_(sm, *this,
               {.count = 1,
                .priority = priority_of(parameters.priority),
                .of_scheduler = first_scheduler(sm.issue.schedulers())}),
      batches_(parameters, counters),
      full_predicates_stop_every_(parameters.full_queue_stops == "every") {}

void AffineWarp::begin_launch() {
    streams_.begin_launch();
    all_bits_.assign(sm_.state.kernel->scoreboard_words(), ~std::uint64_t{0});
    batches_.begin_launch(launch_.ctas(), sm_.state.now);
    ctas_.resize(launch_.ctas());
    for (AffineCta& cta : ctas_) { cta.resume(launch_.affine()); }
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

void AffineWarp::start(Cycle now) {
    ++run_;
    SmThreads threads{};
    for (const unsigned slot : SetBits(batches_.begin_run(now))) {
        const unsigned first = slot * launch_.warps_per_cta();
        ctas_[slot].begin(launch_.affine(), sm_.execute.ctaid(first));
        launch_.to_slot(threads, slot, ctas_[slot].all_threads());
        // Skip warps that have already ended.
        for (unsigned context = first; context < first + launch_.warps_per_cta(); ++context) {
            threads[context] &= sm_.state.warps.states.live().has(context) ? isa::kFullMask : 0;
        }
    }
    const std::uint32_t entry = launch_.affine().program->entry;
    stack_.start(entry, threads);
    gpu::Stream& stream = streams_.start(kStream);
    stream.start(isa::SimtModel::stack, isa::kFullMask, 0, 0);
    stream.stack.start(isa::SimtModel::stack, entry, isa::kFullMask);
    streams_.set().scoreboard.release(kStream, all_bits_.data());
    // A separate context: rows after the warps' own, of which only the banks matter.
    const unsigned first = launch_.warps() * sm_.state.launch.occupancy.rows_per_warp;
    for (unsigned number = 0; number < sm_.state.kernel->first_predicate_bit(); ++number) {
        streams_.set().map.set(kStream, number, static_cast<std::uint16_t>(first + number));
    }
    streams_.resume(kStream);
}

void AffineWarp::warp_exited(unsigned context) {
    const unsigned slot = launch_.slot_of(context);
    if (is_running() && batches_.serves(slot)) {
        LOOKAHEAD_ASSERT(!queues_.leads_at_markers(context),
                         "{}: the warp ends with more barriers passed than the affine warp",
                         sm_.execute.place_of(context));
        stack_.drop(context);
        go_on(false);
    }
    batches_.warp_exited(slot, sm_.state.now);
}

void AffineWarp::go_on(bool issued) {
    if (stack_.done()) { return end_run(); }
    streams_.go_to(kStream, stack_.pc(), issued);
}

void AffineWarp::end_run() {
    note_wait(Wait::nothing);
    batches_.end_run(sm_.state.now);
    streams_.stop(kStream);
    // Write-backs under the old number are dropped.
    ++run_;
}

// ---- Instructions ---------------------------------------------------------------------------------------------------

void AffineWarp::note_wait(Wait wait) {
    const auto cycles = static_cast<std::uint64_t>(sm_.state.now - waits_since_);
    counters_.atq_full_cycles += waits_for_ == Wait::tuple_queue ? cycles : 0;
    counters_.pwpq_full_cycles += waits_for_ == Wait::predicate_queue ? cycles : 0;
    counters_.report_wait_cycles += waits_for_ == Wait::report ? cycles : 0;
    waits_for_ = wait;
    waits_since_ = sm_.state.now;
}

ContextState AffineWarp::waits(Wait wait, ContextState ready) {
    note_wait(wait);
    return wait == Wait::nothing ? ready : ContextState::blocked_by_pipeline;
}

/// Section 4.1: no enqueue issues while the tuple queue or any warp's predicate queue is full; or, with
/// dac.full_queue_stops = own, no enqueue of a predicate while a predicate queue is.
ContextState AffineWarp::judge(unsigned) {
    const std::uint32_t pc = stack_.pc();
    const DecodedInstruction& decoded = (*sm_.state.kernel)[pc];
    const ContextState state = sm_.state.waits_for(streams_.set(), kStream, pc, sm_.state.kernel->needs(pc));
    if (state != gpu::ready_for(decoded.unit)) { return state; }
    switch (decoded.instruction->operation) {
        case Operation::enqueue:
            if (LOOKAHEAD_RULE(full_tuple_queue_stops_enqueue) && tuples_.full()) {
                return waits(Wait::tuple_queue, state);
            }
            if (LOOKAHEAD_RULE(full_predicate_queue_stops_enqueue) && queues_.some_predicates_full() &&
                (full_predicates_stop_every_ || is_predicate(*decoded.instruction))) {
                return waits(Wait::predicate_queue, state);
            }
            return waits(Wait::nothing, state);
        case Operation::dequeue:
            if (LOOKAHEAD_RULE(affine_branch_awaits_reports) && !queues_.all_have_reported(stack_.threads())) {
                return waits(Wait::report, state);
            }
            return waits(Wait::nothing, state);
        case Operation::barrier:
        case Operation::membar:
            return gpu::ready_for(gpu::ExecutionUnit::control);  // it waits for nothing
        default:
            return state;
    }
}

/// The running threads for which the guard holds.
SmThreads AffineWarp::guarded(const isa::Instruction& instruction) const {
    SmThreads result = stack_.threads();
    if (instruction.guard == isa::kTruePredicate && !instruction.guard_negated) { return result; }
    batches_.for_each_served([&](unsigned slot) {
        const Threads holds = ctas_[slot].predicate(instruction.guard, instruction.guard_negated);
        launch_.to_slot(result, slot, both(launch_.of_slot(result, slot), holds));
    });
    return result;
}

void AffineWarp::issue(unsigned scheduler, unsigned, Cycle now) {
    const std::uint32_t pc = stack_.pc();
    const DecodedInstruction& decoded = (*sm_.state.kernel)[pc];
    const isa::Instruction& instruction = *decoded.instruction;
    const SmThreads active = guarded(instruction);
    ++counters_.instructions;
    switch (instruction.operation) {
        case Operation::bra:
            return branch(instruction, active, now);
        case Operation::exit:
            stack_.leave(active);
            return go_on(true);
        case Operation::barrier:
        case Operation::membar:
            queues_.enqueue_marker(active);
            break;
        case Operation::dequeue:
            take_reports(instruction);
            break;
        case Operation::nop:
            break;
        default: {
            const std::uint16_t* map = streams_.set().map.of(kStream);
            std::uint16_t reads[gpu::kMaximumReads];
            for (unsigned i = 0; i < decoded.reads; ++i) { reads[i] = map[decoded.read_registers()[i]]; }
            const Cycle from = sm_.issue.enter(scheduler, decoded, {reads, decoded.reads},
                                               {map + instruction.destination, instruction.destination_rows}, now);
            if (instruction.operation == Operation::enqueue) {
                enqueue(pc, active, from);
                break;
            }
            batches_.for_each_served([&](unsigned slot) { ctas_[slot].compute(pc, launch_.of_slot(active, slot)); });
            if (decoded.writes) {
                streams_.set().scoreboard.reserve(kStream, sm_.state.kernel->writes(pc), false);
                const gpu::PipelineEvent event{gpu::PipelineEvent::Kind::extension, run_, pc, sm_.number};
                sm_.state.wheel.schedule(now, from + decoded.latency, event.packed());
            }
        }
    }
    stack_.advance();
    go_on(true);
}

void AffineWarp::write_back(unsigned run, std::uint32_t pc) {
    if (run == run_ && is_running()) {
        streams_.set().scoreboard.release(kStream, sm_.state.kernel->writes(pc));
        renew();
    }
}

/// The codes of all warps in the warp-level stack are written together; a warp whose lanes part also writes its
/// per-warp stack, one warp per cycle (section 4.5).
void AffineWarp::branch(const isa::Instruction& instruction, const SmThreads& taken, Cycle now) {
    Cycle parted = 0;
    for (unsigned context = 0; context < taken.size(); ++context) {
        parted += taken[context] != 0 && taken[context] != stack_.threads()[context];
    }
    counters_.path_updates += static_cast<std::uint64_t>(parted);
    stack_.branch(instruction, taken);
    go_on(true);
    if (!stack_.done()) { streams_.await_branch(kStream, now, parted); }
}

/// Section 4.5: non-affine warps provide the bit vectors of branches that depend on data. The affine warp leads all of
/// them through one stack, so it waits for all.
void AffineWarp::take_reports(const isa::Instruction& instruction) {
    const SmThreads& active = stack_.threads();
    SmThreads holds{};
    for (unsigned context = 0; context < sm_.state.warps.size(); ++context) {
        if (active[context] == 0) { continue; }
        const QueuedPredicate& report = queues_.reports(context).front();
        LOOKAHEAD_ASSERT(launch_.same_origin(report.name.pc, stack_.pc()),
                         "{}: has reported on another branch than the affine warp is at",
                         sm_.execute.place_of(context));
        LOOKAHEAD_ASSERT(report.name.active == active[context],
                         "{}: has reported for other lanes than the affine warp has there",
                         sm_.execute.place_of(context));
        holds[context] = report.holds;
        queues_.reports(context).pop();
        ++counters_.report_accesses;
        sm_.state.wake(context);
    }
    batches_.for_each_served([&](unsigned slot) {
        ctas_[slot].take(instruction.destination_predicate, launch_.of_slot(active, slot),
                         launch_.of_slot(holds, slot));
    });
}

/// Puts the tuple into the queue at the cycle `from`, when its operands have been read.
void AffineWarp::enqueue(std::uint32_t pc, const SmThreads& active, Cycle from) {
    const isa::Instruction& instruction = sm_.state.kernel->kernel().code[pc];
    ++counters_.enqueues;
    if (none(active)) { return; }
    AtqEntry& entry = tuples_.push(static_cast<isa::QueueMode>(instruction.mode), pc, active);
    queues_.number(entry);
    batches_.for_each_served([&](unsigned slot) {
        const Threads threads = launch_.of_slot(active, slot);
        if (none(threads)) { return; }
        if (!entry.of_predicate()) { return ctas_[slot].read(pc, instruction.source[0], threads, entry.tuples[slot]); }
        const Threads holds = ctas_[slot].predicate(instruction.source_predicate, instruction.source_predicate_negated);
        launch_.to_slot(entry.holds, slot, both(holds, threads));
        for (unsigned warp = 0; warp < launch_.warps_per_cta(); ++warp) {
            entry.comparisons[slot * launch_.warps_per_cta() + warp] =
                ctas_[slot].comparisons(instruction.source_predicate, warp);
        }
    });
    tuples_.complete(entry, has_rows(entry), from, sm_.state.now);
}

/// Whether the next thread may be in another row: the step between rows is computed once for all warps (section 4.2).
bool AffineWarp::has_rows(const AtqEntry& entry) const {
    const auto has_offsets = [](const Piece& piece) {
        return (piece.tuple.offsets.thread[1] | piece.tuple.offsets.thread[2]) != 0;
    };
    return !entry.of_predicate() && launch_.affine().block.y * launch_.affine().block.z > 1 &&
           std::any_of(entry.tuples.begin(), entry.tuples.end(), [&](const AffineRegister& tuples) {
               return std::any_of(tuples.begin(), tuples.end(), has_offsets);
           });
}

// ---- State ----------------------------------------------------------------------------------------------------------

std::string AffineWarp::waiting_for() const {
    if (!is_running()) {
        return batches_.some_wait() ? "affine warp: CTAs wait for its next run" : "affine warp: has served all CTAs";
    }
    return fmt::format("affine warp: PC {:#x} (PTX line {}), {}", stack_.pc() * isa::kInstructionBytes,
                       sm_.state.kernel->kernel().code[stack_.pc()].line,
                       waits_for_ == Wait::tuple_queue       ? "the tuple queue is full"
                       : waits_for_ == Wait::predicate_queue ? "a predicate queue is full"
                       : waits_for_ == Wait::report          ? "some warp has not reported its branch"
                                                             : "is not done");
}

void AffineWarp::fields(StateArchive& archive) {
    archive& ctas_& stack_& batches_& waits_since_& waits_for_;
    if (archive.loading()) {
        for (AffineCta& cta : ctas_) { cta.resume(launch_.affine()); }
    }
}

}  // namespace lookahead::dac
