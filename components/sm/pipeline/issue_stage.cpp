#include "components/sm/pipeline/issue_stage.h"

#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

ContextMask warps_of_scheduler(unsigned scheduler, unsigned schedulers, unsigned contexts) {
    ContextMask warps = 0;
    for (unsigned context = scheduler; context < contexts; context += schedulers) { warps |= context_bit(context); }
    return warps;
}

IssueStage::IssueStage(PipelineState& state, const CtaStage& ctas, WarpSchedulers& schedulers, ExecuteStage& execute,
                       LoadStoreUnit& memory)
    : state_(state),
      ctas_(ctas),
      schedulers_(schedulers),
      execute_(execute),
      memory_(memory),
      units_(state.parameters.private_units ? schedulers.size() : 1, UnitPool(state.parameters)),
      collectors_(state.parameters),
      free_(units_.size(), FreeCycles{}),
      counters_(schedulers.size()),
      held_until_(schedulers.size(), 0),
      interval_(state.parameters.issue_interval) {
    if (state.parameters.private_units && state.parameters.operand_collectors) {
        throw ConfigurationError(
            "sm.private_units does not go with sm.operand_collectors, whose latches and collector units all schedulers "
            "share; set sm.operand_collectors = false");
    }
    state_.memory_waits.observe(counters_);
    const auto count = static_cast<unsigned>(schedulers.size());
    for (unsigned scheduler = 0; scheduler < count; ++scheduler) {
        warps_.push_back(warps_of_scheduler(scheduler, count, static_cast<unsigned>(state.parameters.max_warps)));
    }
    if (state.parameters.register_ports) {
        if (state.parameters.dependences != "control_words") {
            throw ConfigurationError("sm.register_ports needs sm.dependences = control_words");
        }
        ports_.assign(count, RegisterPorts(static_cast<unsigned>(state.parameters.register_banks)));
    }
}

[[gnu::hot]] bool IssueStage::cycle(Cycle now) {
    accepted_ = false;
    const auto count = static_cast<unsigned>(schedulers_.size());
    auto scheduler = first_;
    for (unsigned turn = 0; turn < count; ++turn) {
        if (!step(scheduler, now)) { ++counters_[scheduler][stall_of(scheduler)]; }
        scheduler = scheduler + 1 == count ? 0 : scheduler + 1;
    }
    return accepted_;
}

/// Issues, or lets a source issue, and charges the cycle. Returns false if nothing was charged.
[[gnu::hot]] bool IssueStage::step(unsigned scheduler, Cycle now) {
    if (last_hold_ > now && held_until_[scheduler] > now) [[unlikely]] {
        ++counters_[scheduler][SchedulerCycle::slot_held];
        return true;
    }
    if (has_sources_) [[unlikely]] { return step_with_sources(scheduler, now); }
    const ContextMask ready = candidates(state_.warps.states, warps_[scheduler], scheduler, now);
    if (ready == 0) { return false; }
    if (!issue_warp(scheduler, ready, now)) { ++counters_[scheduler][SchedulerCycle::held_back]; }
    return true;
}

bool IssueStage::step_with_sources(unsigned scheduler, Cycle now) {
    const std::uint64_t bit = std::uint64_t{1} << scheduler;
    if (offer(IssuePriority::above, scheduler, now)) { return true; }
    const bool warps_wait = (warps_last_ & bit) != 0;
    if (warps_wait && offer(IssuePriority::beside, scheduler, now)) {
        warps_last_ &= ~bit;
        return true;
    }
    const ContextMask ready = candidates(state_.warps.states, warps_[scheduler], scheduler, now);
    if (ready != 0 && issue_warp(scheduler, ready, now)) {
        warps_last_ |= bit;
        return true;
    }
    if (!warps_wait && offer(IssuePriority::beside, scheduler, now)) { return true; }
    if (offer(IssuePriority::below, scheduler, now)) { return true; }
    if (ready != 0) { ++counters_[scheduler][SchedulerCycle::held_back]; }
    return ready != 0;
}

/// An issued instruction takes its scheduler's slot for sm.issue_interval cycles.
inline void IssueStage::take_slot(unsigned scheduler, Cycle now) {
    if (interval_ != 1 && LOOKAHEAD_RULE(issue_takes_its_interval)) [[unlikely]] { hold(scheduler, interval_, now); }
}

/// Issues one of the ready warps; returns false if the scheduler holds them back.
inline bool IssueStage::issue_warp(unsigned scheduler, ContextMask ready, Cycle now) {
    const unsigned context = schedulers_[scheduler]->pick(ready, now);
    if (context == WarpScheduler::kHoldBack) { return false; }
    LOOKAHEAD_DEBUG_ASSERT(ready.has(context), "a scheduler picked a warp that is not ready");
    LOOKAHEAD_DEBUG_ASSERT(!state_.memory_waits.waits(context), "a warp's wait for memory has not ended");
    ++counters_[scheduler][SchedulerCycle::issued];
    take_slot(scheduler, now);
    issue(scheduler, context, now);
    first_ = scheduler + 1 == schedulers_.size() ? 0 : scheduler + 1;
    return true;
}

bool IssueStage::offer(IssuePriority priority, unsigned scheduler, Cycle now) {
    const std::vector<IssueSource*>& sources = sources_of(priority);
    const bool issued =
        std::any_of(sources.begin(), sources.end(), [&](IssueSource* source) { return source->issue(scheduler, now); });
    counters_[scheduler][SchedulerCycle::extension_issued] += issued;
    if (issued) { take_slot(scheduler, now); }
    return issued;
}

[[gnu::hot]] void IssueStage::issue(unsigned scheduler, unsigned context, Cycle now) {
    if (state_.attended.has(context) && issue_attended(scheduler, context, now)) [[unlikely]] { return; }
    const DecodedInstruction& decoded = (*state_.kernel)[state_.warps.streams[context].stack.pc()];
    const Cycle from = decoded.unit == ExecutionUnit::control
                           ? now
                           : stage(scheduler, decoded, enter_unit(scheduler, context, decoded, now), now);
    if (!ports_.empty() && state_.kernel->by_control_words()) [[unlikely]] {
        read_registers(scheduler, context, decoded, now);
    }
    accepted_ |= execute_.execute(context, now, from);
}

/// An instruction of fixed latency that waits for its registers holds up its scheduler.
void IssueStage::read_registers(unsigned scheduler, unsigned context, const DecodedInstruction& decoded, Cycle now) {
    if (decoded.unit == ExecutionUnit::memory || decoded.unit == ExecutionUnit::control ||
        decoded.write_barrier != isa::IssueControl::kNoBarrier) {
        return;
    }
    const isa::Kernel& kernel = state_.kernel->kernel();
    const unsigned reuse = kernel.controls[state_.warps.streams[context].stack.pc()].reuse;
    const Cycle waits =
        ports_[scheduler].read(context, *decoded.instruction, reuse, kernel.registers_per_thread(), now);
    if (waits > 0) { hold(scheduler, waits + 1, now); }
}

/// Like issue(), for a context that an extension attends. An instruction that the extension has executed takes no unit;
/// one that writes may get other destination rows, after its operands' rows are known. Returns whether it has issued.
bool IssueStage::issue_attended(unsigned scheduler, unsigned context, Cycle now) {
    const Extensions& extensions = *state_.extensions;
    const Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const isa::LaneMask lanes = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    if (extensions.supply(context, now)) {
        extensions.for_attending(context, [&](IssueExtension& extension) { extension.supplied(context, pc, lanes); });
        return true;
    }
    const std::uint16_t* map = state_.warps.map.of(context);
    std::uint16_t reads[kMaximumReads];
    const std::uint16_t* const registers = decoded.read_registers();
    for (unsigned i = 0; i < decoded.reads; ++i) { reads[i] = map[registers[i]]; }
    extensions.for_attending(context, [&](IssueExtension& extension) { extension.before_execution(context, now); });
    const unsigned words = decoded.instruction->destination_rows;
    const std::uint16_t* writes = words > 0 ? map + decoded.instruction->destination : map;
    Cycle from = kNever;
    extensions.for_attending(context, &IssueExtension::own_unit,
                             [&](OwnUnit& unit) { from = std::min(from, unit.enters(context, now)); });
    if (from == kNever) {
        from = decoded.unit == ExecutionUnit::control
                   ? now
                   : enter(scheduler, decoded, {reads, decoded.reads}, {writes, words}, now);
    }
    extensions.for_attending(context, &IssueExtension::renaming, [&](RegisterRenaming& renaming) {
        renaming.collecting(context, reads, decoded.reads, from, now);
    });
    accepted_ |= execute_.execute(context, now, from);
    return true;
}

/// An instruction whose operands are staged over several cycles holds the slot and reaches its unit no earlier.
Cycle IssueStage::stage(unsigned scheduler, const DecodedInstruction& decoded, Cycle from, Cycle now) {
    if (decoded.issue_cycles == 1) [[likely]] { return from; }
    hold(scheduler, decoded.issue_cycles, now);
    return std::max(from, now + decoded.issue_cycles - 1);
}

Cycle IssueStage::enter(unsigned scheduler, const DecodedInstruction& decoded, std::span<const std::uint16_t> reads,
                        std::span<const std::uint16_t> writes, Cycle now) {
    if (!collectors_.enabled()) {
        occupy(scheduler, decoded, now);
        return stage(scheduler, decoded, now, now);
    }
    const auto row_of = [&](unsigned i) { return reads[i]; };
    const Cycle from = collect(decoded, static_cast<unsigned>(reads.size()), row_of, now);
    if (decoded.unit != ExecutionUnit::memory) {
        for (const std::uint16_t row : writes) { collectors_.write(row, from + decoded.latency, now); }
    }
    return stage(scheduler, decoded, from, now);
}

[[gnu::hot]] void IssueStage::occupy(unsigned scheduler, const DecodedInstruction& decoded, Cycle now) {
    if (decoded.unit != ExecutionUnit::memory) {
        UnitPool& units = units_[units_of(scheduler)];
        units.take(decoded.unit, now, decoded.initiation, decoded.latency, now);
        free_[units_of(scheduler)][static_cast<unsigned>(decoded.unit)] = units.next_free(decoded.unit);
    }
}

/// The path through the operand collectors. Returns the cycle from which the unit's latency counts.
template <class RowOf>
Cycle IssueStage::collect(const DecodedInstruction& decoded, unsigned reads, RowOf row_of, Cycle now) {
    const bool for_memory = decoded.unit == ExecutionUnit::memory;
    const Cycle taken = collectors_.pass(decoded.unit, reads, row_of, decoded.initiation, decoded.latency,
                                         for_memory ? nullptr : &units_[0], now);
    note_free(collectors_.next_free(decoded.unit), decoded.unit);
    return for_memory ? taken + 1 : taken + OperandCollectors::kUnitStages;
}

/// Returns the cycle from which the unit's latency counts.
[[gnu::hot]] Cycle IssueStage::enter_unit(unsigned scheduler, unsigned context, const DecodedInstruction& decoded,
                                          Cycle now) {
    if (!collectors_.enabled()) {
        occupy(scheduler, decoded, now);
        return now;
    }
    const std::uint16_t* map = state_.warps.map.of(context);
    const std::uint16_t* const registers = decoded.read_registers();
    const Cycle from = collect(
        decoded, decoded.reads, [&](unsigned i) { return map[registers[i]]; }, now);
    if (decoded.unit == ExecutionUnit::memory) { return from; }
    for (unsigned word = 0; word < decoded.instruction->destination_rows; ++word) {
        collectors_.write(map[decoded.instruction->destination + word], from + decoded.latency, now);
    }
    return from;
}

/// Units of one path through the collectors share its issue latches.
void IssueStage::note_free(Cycle free, ExecutionUnit unit) {
    for (unsigned other = 0; other < kExecutionUnits; ++other) {
        if (kUnits[other].path == info_of(unit).path) { free_[0][other] = free; }
    }
}

[[gnu::hot]] void IssueStage::memory_writes(unsigned context, const isa::Instruction& instruction, Cycle now) {
    if (!collectors_.enabled()) { return; }
    const std::uint16_t* map = state_.warps.map.of(context);
    for (unsigned word = 0; word < instruction.destination_rows; ++word) {
        collectors_.write(map[instruction.destination + word], now, now);
    }
}

void IssueStage::rows_written(std::span<const std::uint16_t> rows, Cycle now) {
    for (const std::uint16_t row : rows) {
        if (collectors_.enabled()) { collectors_.write(row, now, now); }
    }
}

void IssueStage::find_free() {
    for (std::size_t pool = 0; pool < units_.size(); ++pool) {
        for (unsigned number = 0; number < kExecutionUnits; ++number) {
            const auto unit = static_cast<ExecutionUnit>(number);
            free_[pool][number] = collectors_.enabled()      ? collectors_.next_free(unit)
                                  : number < kPipelinedUnits ? units_[pool].next_free(unit)
                                                             : 0;
        }
    }
}

[[gnu::hot]] ContextMask IssueStage::candidates(const ContextStates& states, ContextMask streams, unsigned scheduler,
                                                Cycle now) const {
    const FreeCycles& free = free_[units_of(scheduler)];
    ContextMask ready = states.in(ready_for(ExecutionUnit::control));
    for (unsigned unit = 0; unit < kPipelinedUnits; ++unit) {
        const ContextMask waiting = states.in(ready_for(static_cast<ExecutionUnit>(unit)));
        if (waiting != 0 && free[unit] <= now) { ready |= waiting; }
    }
    if (const ContextMask memory = states.in(ready_for(ExecutionUnit::memory));
        memory != 0 && !accepted_ && free[static_cast<unsigned>(ExecutionUnit::memory)] <= now &&
        memory_.can_accept()) {
        ready |= memory;
    }
    return ready & streams;
}

/// The first cause in the order of SchedulerCycle, if nothing was issued and nothing held back.
[[gnu::hot]] SchedulerCycle IssueStage::stall_of(unsigned scheduler) const {
    const ContextStates& states = state_.warps.states;
    const ContextMask own = warps_[scheduler];
    const auto some = [&](ContextMask contexts) { return contexts.intersects(own); };
    if (some(states.in(ready_for(ExecutionUnit::memory)))) { return SchedulerCycle::memory_unit_full; }
    if (some(states.ready_for_units())) { return SchedulerCycle::unit_full; }
    if (some(states.in(ContextState::blocked_by_memory))) { return SchedulerCycle::memory_wait; }
    if (some(states.in(ContextState::blocked_by_constants) | states.in(ContextState::at_fence))) {
        return some(states.in(ContextState::blocked_by_constants)) ? SchedulerCycle::constant_wait
                                                                   : SchedulerCycle::fence;
    }
    if (some(states.in(ContextState::blocked_by_pipeline) | states.in(ContextState::stalled))) {
        return SchedulerCycle::short_latency;
    }
    if (some(states.in(ContextState::fetching) | states.in(ContextState::branching))) {
        return SchedulerCycle::buffer_empty;
    }
    if (some(states.in(ContextState::at_barrier))) { return SchedulerCycle::barrier; }
    return ctas_.resident() > 0 ? SchedulerCycle::no_instruction_left : SchedulerCycle::no_cta;
}

[[gnu::hot]] void IssueStage::charge_idle(Cycle cycles) {
    for (unsigned scheduler = 0; scheduler < counters_.size(); ++scheduler) {
        counters_[scheduler][stall_of(scheduler)] += static_cast<std::uint64_t>(cycles);
    }
}

inline Cycle IssueStage::next_for(ContextMask waiting, const std::vector<ContextMask>& of_scheduler, ExecutionUnit unit,
                                  Cycle now) const {
    if (waiting == 0) { return kNever; }
    Cycle next = free_[0][static_cast<unsigned>(unit)];
    if (free_.size() > 1) {
        next = kNever;
        for (std::size_t pool = 0; pool < free_.size(); ++pool) {
            next = waiting.intersects(of_scheduler[pool]) ? std::min(next, free_[pool][static_cast<unsigned>(unit)])
                                                          : next;
        }
    }
    return std::max(now + 1, next);
}

[[gnu::hot]] Cycle IssueStage::next_issue(Cycle now) const {
    if (last_hold_ > now + 1) {
        return now + 1;  // each cycle of a held slot is charged
    }
    Cycle next = state_.warps.states.ready() != 0 ? next_of_ready(state_.warps.states, warps_, now) : kNever;
    if (has_sources_) [[unlikely]] {
        for (const auto& sources : sources_) {
            for (const IssueSource* source : sources) { next = std::min(next, source->next_issue(now)); }
        }
    }
    return next;
}

[[gnu::hot]] Cycle IssueStage::next_of_ready(const ContextStates& states, const std::vector<ContextMask>& of_scheduler,
                                             Cycle now) const {
    if (states.in(ready_for(ExecutionUnit::control)) != 0) { return now + 1; }
    Cycle next = kNever;
    for (unsigned number = 0; number <= kPipelinedUnits; ++number) {
        const auto unit = static_cast<ExecutionUnit>(number);
        if (unit != ExecutionUnit::memory || memory_.can_accept()) {
            next = std::min(next, next_for(states.in(ready_for(unit)), of_scheduler, unit, now));
        }
    }
    return next;
}

}  // namespace lookahead::gpu
