// What a warp does in P-mode.
#include <algorithm>
#include <bit>
#include <cstring>

#include "components/isa/memory_access.h"
#include "components/mechanisms/pmode/pmode.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

using isa::LaneMask;

namespace {

bool is_clock(isa::SpecialRegister special) {
    return special == isa::SpecialRegister::clock || special == isa::SpecialRegister::clock64 ||
           special == isa::SpecialRegister::globaltimer;
}

bool is_scratchpad_load(const DecodedInstruction& decoded) {
    return decoded.action == Action::memory && isa::is_load(decoded.instruction->operation) &&
           decoded.instruction->space == isa::Space::shared;
}

/// Constant loads are short-latency sources, and their values never change.
bool is_constant_load(const DecodedInstruction& decoded) {
    return decoded.action == Action::memory && decoded.instruction->operation == isa::Operation::load &&
           decoded.instruction->space == isa::Space::constant;
}

/// Loads that only bring their lines into L1: global, local and generic ones.
bool is_pre_load(const DecodedInstruction& decoded) {
    return decoded.action == Action::memory && isa::is_load(decoded.instruction->operation) &&
           !is_scratchpad_load(decoded) && !is_constant_load(decoded);
}

bool is_within(std::uint64_t offset, unsigned bytes, std::uint64_t size) {
    return bytes <= size && offset <= size - bytes;
}

/// Whether the instruction may write a scratchpad load's data, or order such a load after other warps' writes.
bool makes_scratchpad_stale(const DecodedInstruction& decoded) {
    const isa::Instruction& instruction = *decoded.instruction;
    if (decoded.action == Action::barrier) { return true; }
    if (decoded.action != Action::memory || instruction.operation == isa::Operation::texture) { return false; }
    const bool orders = instruction.order != isa::Order::weak;
    const bool may_write = !isa::is_load(instruction.operation) &&
                           (instruction.space == isa::Space::shared || instruction.space == isa::Space::generic);
    return orders || may_write;
}

/// Why the instruction is skipped whatever its operands are.
SkipReason always_skipped(const DecodedInstruction& decoded) {
    const isa::Instruction& instruction = *decoded.instruction;
    if (decoded.action == Action::barrier) { return SkipReason::barrier; }
    if (decoded.action == Action::special_register) {
        return is_clock(instruction.special) ? SkipReason::clock : SkipReason::count;
    }
    if (decoded.action != Action::memory) { return SkipReason::count; }
    const isa::Operation operation = instruction.operation;
    if (isa::is_store(operation)) { return SkipReason::store; }
    if (operation == isa::Operation::texture) { return SkipReason::texture; }
    if (operation == isa::Operation::load) {
        return instruction.order != isa::Order::weak ? SkipReason::ordered_load : SkipReason::count;
    }
    if (!isa::is_load(operation)) { return SkipReason::atomic; }
    // Element addresses in the scratchpad would have to be checked one by one, so these are not pre-executed.
    return instruction.space == isa::Space::shared ? SkipReason::scratchpad : SkipReason::count;
}

/// Whether a scratchpad or constant load accesses what is not there.
bool out_of_bounds(const MemoryInstruction& request, const PipelineState& state) {
    const unsigned bytes = isa::lane_bytes(*request.instruction);
    const auto in_constants = [&](std::uint64_t address) {
        const std::uint64_t parameter_bytes =
            state.kernel->kernel().addresses_parameters ? state.launch.parameters.size() : 0;
        return isa::is_in_constant(*state.image, address, bytes) ||
               is_within(address - isa::kParameterBase, bytes, parameter_bytes);
    };
    for (LaneMask left = request.active; left != 0; left &= left - 1) {
        const std::uint64_t address = request.addresses[std::countr_zero(left)];
        const bool inside = request.instruction->space == isa::Space::constant
                                ? in_constants(address)
                                : is_within(address, bytes, request.shared_bytes);
        if ((address & (bytes - 1)) != 0 || !inside) { return true; }
    }
    return false;
}

}  // namespace

bool is_partial(const isa::SimtState& stack, const DecodedInstruction& decoded) {
    return decoded.guarded || stack.active() != stack.alive();
}

// ---- What becomes of the next instruction ---------------------------------------------------------------------------

ContextState Pmode::judge(unsigned context) {
    const Verdict of = verdict(context);
    if (of.state == ContextState::held) { halt(context, of.halt); }
    return of.state;
}

void Pmode::halt(unsigned context, HaltReason reason) {
    const isa::SimtState& stack = streams_[context].stack;
    ++counters_.halted[static_cast<unsigned>(reason)];
    tell(PmodeStep::Kind::halted, context, stack.pc(), stack.active(), SkipReason::count, reason);
    streams_.hold(context);
}

/// Branches, and instructions that P-mode never passes. A branch that is too far, or goes too far, halts. Section 5.1
/// of the paper skips it; but to continue after a skipped taken branch would be to execute the path that the warp does
/// not take, with useless pre-loads and queue entries before those that N-mode needs. Section 7 rules out speculation,
/// and an unresolvable branch halts for that reason (5.1).
Pmode::Verdict Pmode::verdict_on_control(unsigned context, const DecodedInstruction& decoded) const {
    const Stream& stream = streams_[context];
    const bool branches = decoded.action == Action::branch;
    const HaltReason halt = decoded.action == Action::fence  ? HaltReason::fence
                            : decoded.action == Action::exit ? HaltReason::exit
                            : branches                       ? HaltReason::far_branch
                                                             : HaltReason::trap;
    if (decoded.action == Action::fence || (branches && warps_[context].is_far(stream.stack.pc(), parameters_.reach))) {
        return {.state = ContextState::held, .halt = halt};
    }
    if (decoded.guarded && decoded.guard.slot < isa::kPredicateRegisters) {
        const Scoreboard& scoreboard = streams_.set().scoreboard;
        const unsigned bit = state_.kernel->first_predicate_bit() + decoded.guard.slot;
        if (scoreboard.is_long_latency(context, bit)) {
            return {.state = ContextState::held, .halt = branches ? HaltReason::poisoned_branch : halt};
        }
        if (LOOKAHEAD_RULE(branch_awaits_its_predicate) && scoreboard.is_pending(context, bit)) {
            return {.state = ContextState::blocked_by_pipeline};
        }
    }
    const bool taken = decoded.guarded_lanes(stream.stack.active(), stream.predicates) != 0;
    if (taken && (!branches || warps_[context].is_far(decoded.instruction->target, parameters_.reach))) {
        return {.state = ContextState::held, .halt = halt};
    }
    return {.state = ready_for(ExecutionUnit::control)};
}

Pmode::Verdict Pmode::verdict(unsigned context) const {
    const Stream& stream = streams_[context];
    const std::uint32_t pc = stream.stack.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    // What a warp will take from its queues is unknown before, like the result of a load in flight.
    if (decoded.instruction->dequeues || decoded.action == Action::queue) {
        return decoded.action == Action::branch
                   ? Verdict{.state = ContextState::held, .halt = HaltReason::poisoned_branch}
                   : Verdict{.state = ContextState::passing, .skip = SkipReason::poisoned};
    }
    if (decoded.action == Action::branch || decoded.action == Action::exit || decoded.action == Action::fence ||
        decoded.action == Action::trap) {
        return verdict_on_control(context, decoded);
    }
    // Where lanes may wait for others of their warp, another path would run next; only the warp itself may decide that.
    if ((decoded.action == Action::meeting || decoded.action == Action::barrier) && stream.stack.diverged()) {
        return {.state = ContextState::held, .halt = HaltReason::lanes};
    }
    if (LOOKAHEAD_RULE(far_instructions_are_skipped) && warps_[context].is_far(pc, parameters_.reach)) {
        return {.state = ContextState::passing, .skip = SkipReason::far};
    }
    if (const SkipReason reason = always_skipped(decoded); reason != SkipReason::count) {
        return {.state = ContextState::passing, .skip = reason};
    }
    // The old value of a partly written register is a source too, except for pre-loads, which write nothing.
    const bool reads_old_value = is_partial(stream.stack, decoded) && !is_pre_load(decoded);
    const std::uint64_t* sources = reads_old_value ? state_.kernel->needs(pc) : state_.kernel->reads(pc);
    if (LOOKAHEAD_RULE(poisoned_sources_are_skipped) && streams_.set().scoreboard.blocks_for_memory(context, sources)) {
        return {.state = ContextState::passing, .skip = SkipReason::poisoned};
    }
    if (LOOKAHEAD_RULE(stale_scratchpad_loads_are_skipped) && is_scratchpad_load(decoded) &&
        warps_[context].scratchpad_stale) {
        return {.state = ContextState::passing, .skip = SkipReason::scratchpad};
    }
    const unsigned end = decoded.instruction->destination + decoded.instruction->destination_rows;
    if (!is_pre_load(decoded) && decoded.instruction->destination_rows > 0 &&
        end > static_cast<unsigned>(parameters_.rename_entries)) {
        return {.state = ContextState::passing, .skip = SkipReason::no_rename_entry};
    }
    if (is_pre_load(decoded) && !parameters_.pre_loads) {
        return {.state = ContextState::passing, .skip = SkipReason::pre_load};
    }
    const ContextState state = state_.waits_for(streams_.set(), context, pc, sources);
    if (state != ready_for(decoded.unit)) { return {.state = state}; }
    // If a program races, its addresses may differ from those that it will use.
    if ((is_scratchpad_load(decoded) || is_constant_load(decoded)) &&
        out_of_bounds(sm_.execute.make_request(context, stream.stack.pc(), streams_.set().map.of(context),
                                               decoded.guarded_lanes(stream.stack.active(), stream.predicates), 0),
                      state_)) {
        const bool constant = is_constant_load(decoded);
        return {.state = ContextState::passing, .skip = constant ? SkipReason::constant : SkipReason::scratchpad};
    }
    return {.state = state};
}

/// From now on the destinations of the instruction at `pc` are the stream's own.
void Pmode::mark_written(unsigned context, std::uint32_t pc, bool poison, std::uint16_t operation) {
    const std::uint64_t* writes = state_.kernel->writes(pc);
    Scoreboard& scoreboard = streams_.set().scoreboard;
    scoreboard.release(context, writes);
    scoreboard.reserve(context, writes, poison);
    std::vector<std::uint64_t>& redefined = warps_[context].redefined;
    for (unsigned word = 0; word < redefined.size(); ++word) { redefined[word] |= writes[word]; }
    operations_.set_writer(context, writes, operation);
}

void Pmode::skip(unsigned context) {
    const Verdict of = verdict(context);
    if (of.state != ContextState::passing) { return streams_.renew(context); }
    const isa::SimtState& stack = streams_[context].stack;
    const std::uint32_t pc = stack.pc();
    ++counters_.skipped[static_cast<unsigned>(of.skip)];
    ++counters_.skips;
    tell(PmodeStep::Kind::skipped, context, pc, stack.active(), of.skip);
    warps_[context].scratchpad_stale |= makes_scratchpad_stale((*state_.kernel)[pc]);
    mark_written(context, pc, true, Operations::kNone);
    warps_[context].note_processed(true);
    advance(context);
}

void Pmode::advance(unsigned context) {
    if (!streams_.advance(context)) { halt(context, HaltReason::lanes); }
}

// ---- Issue ----------------------------------------------------------------------------------------------------------

/// Whether there are renaming registers for the instruction's destinations.
bool Pmode::accepts(unsigned context) const {
    const DecodedInstruction& decoded = (*state_.kernel)[streams_[context].stack.pc()];
    return !skipped_now_.has(context) &&
           (is_pre_load(decoded) || decoded.instruction->destination_rows <= pool_.free());
}

void Pmode::issue(unsigned scheduler, unsigned context, Cycle now) {
    const Stream& stream = streams_[context];
    const std::uint32_t pc = stream.stack.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const isa::Instruction& instruction = *decoded.instruction;
    const LaneMask active = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    ++counters_.executed;
    ++counters_.renamings;
    ++counters_.repeated;
    counters_.repeated_threads += static_cast<unsigned>(std::popcount(active));
    ++counters_.repeated_by_class[static_cast<unsigned>(decoded.instruction_class)];
    warps_[context].note_processed(false);
    tell(is_pre_load(decoded) ? PmodeStep::Kind::pre_loaded : PmodeStep::Kind::executed, context, pc,
         stream.stack.active());
    if (decoded.action == Action::branch) { return branch(context, decoded, active, now); }

    const std::uint16_t* map = streams_.set().map.of(context);
    const bool writes = active != 0 && !is_pre_load(decoded);
    const bool partial = is_partial(stream.stack, decoded);
    std::uint16_t reads[kMaximumReads + isa::kMostOperandRows];
    unsigned count = 0;
    for (; count < decoded.reads; ++count) { reads[count] = map[decoded.read_registers()[count]]; }
    std::uint16_t rows[isa::kMostOperandRows];
    const unsigned words = writes ? instruction.destination_rows : 0;
    for (unsigned word = 0; word < words; ++word) {
        const unsigned number = instruction.destination + word;
        rows[word] = pool_.allocate(context, number);
        if (partial) { reads[count++] = map[number]; }
    }
    const Cycle from = decoded.unit == ExecutionUnit::control
                           ? now
                           : sm_.issue.enter(scheduler, decoded, {reads, count}, {rows, words}, now);
    for (unsigned i = 0; i < count; ++i) {
        if (LOOKAHEAD_RULE(p_mode_readers_keep_register) && pool_.owns(reads[i])) { pool_.read_until(reads[i], from); }
    }
    if (active == 0) {
        ++counters_.predicated_off;
    } else if (is_pre_load(decoded)) {
        pre_load(context, active, from, now);
    } else if (decoded.writes) {
        compute(context, decoded, active, from, {rows, words}, now);
    }
    advance(context);
}

void Pmode::branch(unsigned context, const DecodedInstruction& decoded, LaneMask taken, Cycle now) {
    const bool runs = streams_.branch(context, taken, *decoded.instruction);
    const bool overflows = streams_[context].stack.paths() > static_cast<std::size_t>(parameters_.simt_entries);
    if (overflows || !runs) { return halt(context, overflows ? HaltReason::simt_overflow : HaltReason::lanes); }
    streams_.await_branch(context, now);
}

void Pmode::pre_load(unsigned context, LaneMask active, Cycle from, Cycle now) {
    const std::uint32_t pc = streams_[context].stack.pc();
    MemoryInstruction& request = sm_.execute.make_request(context, pc, streams_.set().map.of(context), active, from);
    request.token = 0;
    request.pre_load = true;
    sm_.memory.accept(request, now);
    sm_.issue.note_accepted();
    ++counters_.pre_loads;
    mark_written(context, pc, true, Operations::kNone);
}

/// Executes into `rows`, which then belong to the stream's registers and, if there is room, to the P-queue.
void Pmode::compute(unsigned context, const DecodedInstruction& decoded, LaneMask active, Cycle from,
                    std::span<const std::uint16_t> rows, Cycle now) {
    Stream& stream = streams_[context];
    const std::uint32_t pc = stream.stack.pc();
    const std::uint16_t* map = streams_.set().map.of(context);
    // Inactive lanes keep their old values: this merges a partial write.
    if (active != isa::kFullMask) {
        for (unsigned word = 0; word < rows.size(); ++word) {
            std::memcpy(state_.registers.row(rows[word]),
                        state_.registers.row(map[decoded.instruction->destination + word]),
                        sizeof(std::uint32_t) * isa::kWarpSize);
        }
    }
    if (decoded.action == Action::memory) {
        MemoryInstruction& request = sm_.execute.make_request(context, pc, map, active, from);
        std::copy(rows.begin(), rows.end(), request.destination_rows.begin());
        const std::uint16_t operation = begin_operation(context, decoded, active, rows);
        request.token = token_of(operation + 1u);
        request.pre_load = false;
        sm_.memory.accept(request, now);
        return sm_.issue.note_accepted();
    }
    if (decoded.action == Action::special_register) {
        isa::Row values[2];
        sm_.execute.read_special(context, *decoded.instruction, now, values);
        for (unsigned word = 0; word < rows.size(); ++word) {
            std::uint32_t* row = state_.registers.row(rows[word]);
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                row[lane] = (active >> lane) & 1 ? values[word].lanes[lane] : row[lane];
            }
        }
    } else {
        isa::OperandRows operands = sm_.execute.operand_rows(map, stream.predicates, decoded);
        for (unsigned word = 0; word < rows.size(); ++word) {
            operands.destination[word] = state_.registers.row(rows[word]);
        }
        isa::execute(decoded, operands, active);
        if (decoded.writes_predicate) {
            stream.predicates[decoded.destination_predicate] = operands.destination_predicate;
            stream.predicates[decoded.destination_predicate2] = operands.destination_predicate2;
        }
    }
    schedule(context, begin_operation(context, decoded, active, rows), now, from + decoded.latency);
}

/// Starts the operation that will write the results. One entry of the P-queue holds all destinations, or none.
std::uint16_t Pmode::begin_operation(unsigned context, const DecodedInstruction& decoded, LaneMask active,
                                     std::span<const std::uint16_t> rows) {
    const Stream& stream = streams_[context];
    PreExecution& warp = warps_[context];
    const std::uint32_t pc = stream.stack.pc();
    Operation operation{.used = true,
                        .words = static_cast<std::uint8_t>(rows.size()),
                        .context = static_cast<std::uint16_t>(context),
                        .episode = warp.episode,
                        .pc = pc};
    std::copy(rows.begin(), rows.end(), operation.rows.begin());
    if (warp.queue.full()) {
        ++counters_.pqueue_full;
    } else {
        PQueueEntry entry{pc, warp.epoch, active, false, operation.words, operation.rows};
        entry.predicate = stream.predicates[decoded.destination_predicate];
        entry.predicate2 = stream.predicates[decoded.destination_predicate2];
        operation.place = static_cast<std::uint16_t>(warp.queue.push(entry));
        ++counters_.queued;
        ++counters_.pqueue_accesses;
    }
    const std::uint16_t number = operations_.begin(operation);
    mark_written(context, pc, false, number);
    pool_.rename(context, decoded.instruction->destination, rows, operation.place != Operation::kNoPlace);
    return number;
}

void Pmode::end_operation(std::uint16_t number) {
    const Operation operation = operations_.end(number);
    pool_.written({operation.rows.data(), operation.words});
    const unsigned context = operation.context;
    PreExecution& warp = warps_[context];
    if (LOOKAHEAD_RULE(results_of_old_switches_are_nobodys) && operation.episode != warp.episode) { return; }
    if (operation.place != Operation::kNoPlace) {
        warp.queue[operation.place].ready = true;
        ++counters_.pqueue_accesses;
    }
    if (!streams_.running().has(context)) { return state_.wake(context); }
    operations_.clear(streams_.set().scoreboard, context, state_.kernel->writes(operation.pc), number);
    streams_.renew(context);
}

void Pmode::event(unsigned, std::uint32_t detail, Cycle) {
    if ((detail & RegisterPool::kCollected) != 0) { return pool_.collected(detail); }
    end_operation(static_cast<std::uint16_t>(detail));
}

void Pmode::load_completed(std::uint16_t token, const isa::Instruction&, Cycle now) {
    const auto number = static_cast<std::uint16_t>(token - 1);
    const Operation& operation = operations_[number];
    sm_.issue.rows_written({operation.rows.data(), operation.words}, now);
    end_operation(number);
}

}  // namespace lookahead::gpu
