#include "components/sm/pipeline/execute_stage.h"

#include <bit>
#include <cstring>

#include "components/isa/address_space.h"
#include "components/isa/failure.h"
#include "components/isa/memory_access.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead::gpu {

using isa::LaneMask;

constexpr std::uint8_t kNoBarrier = isa::IssueControl::kNoBarrier;

[[gnu::hot]] bool ExecuteStage::execute(unsigned context, Cycle now, Cycle from) {
    Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    LaneMask active = stream.stack.active();
    SmCounters& counters = state_.counters;
    if (decoded.guarded) { active &= stream.predicates[decoded.guard.slot] ^ decoded.guard.flip; }
    state_.count_issue(pc, active);
    if (decoded.guarded && active == 0 && decoded.action != Action::branch) {
        ++counters.predicated_off;
        step_past(context, stream);
        return false;
    }
    switch (decoded.action) {
        case Action::alu:
            alu(context, stream, decoded, active);
            schedule_write_back(context, pc, decoded, now, from);
            break;
        case Action::special_register:
            special_register(context, decoded, active, now);
            schedule_write_back(context, pc, decoded, now, from);
            break;
        case Action::memory:
            reserve(context, stream, pc, decoded);
            memory(context, stream, decoded, active, now, from);
            step_past(context, stream);
            return true;
        case Action::fence:
            fence(context, stream, decoded, now);
            return true;
        case Action::branch:
            branch(context, stream, decoded, active & decoded.branch_condition(stream.predicates), now);
            return false;
        case Action::convergence:
            stream.stack.converge(active & decoded.branch_condition(stream.predicates), *decoded.instruction);
            go_on(context, stream, pc);
            return false;
        case Action::computed_branch:
            computed_branch(context, stream, decoded, active, now);
            return false;
        case Action::exit:
            active &= decoded.branch_condition(stream.predicates);
            if (active == 0) { break; }
            exit(context, stream, active, now);
            return false;
        case Action::barrier:
            barrier(context, stream, decoded, active, now, from);
            return false;
        case Action::meeting:
            meet(context, stream, decoded, active, now, from);
            return false;
        case Action::converged:
            require_members(context, decoded, active);
            if (decoded.handler != nullptr) { alu(context, stream, decoded, active); }
            schedule_write_back(context, pc, decoded, now, from);
            break;
        case Action::trap:
            trap(context, decoded, active);
        case Action::queue:
            LOOKAHEAD_ASSERT(false, "{}: a dequeue that no extension has done", place_of(context));
            break;
        case Action::recorded:
            schedule_write_back(context, pc, decoded, now, from);
            break;
        case Action::recorded_branch:
            ++counters.branches;
            counters.divergent_branches += active != stream.stack.active();
            stream.stack.advance();
            branched(context, stream, pc, now);
            return false;
        case Action::nothing:
            break;
    }
    step_past(context, stream);
    return false;
}

const std::uint32_t* ExecuteStage::source_row(const std::uint16_t* map, const isa::Operand& operand,
                                              unsigned word) const {
    if (operand.kind == isa::Operand::Kind::reg) { return state_.registers.row(map[operand.index + word]); }
    return state_.launch.constants[operand.index + word].lanes;
}

[[gnu::hot]] isa::OperandRows ExecuteStage::operand_rows(const std::uint16_t* map, const LaneMask* predicates,
                                                         const DecodedInstruction& decoded) {
    const isa::Instruction& instruction = *decoded.instruction;
    isa::OperandRows rows;
    for (unsigned i = 0; i < decoded.sources; ++i) {
        const isa::Operand& operand = instruction.source[i];
        if (operand.kind == isa::Operand::Kind::none) { continue; }
        for (unsigned word = 0; word < operand.rows; ++word) { rows.source[i][word] = source_row(map, operand, word); }
    }
    for (unsigned word = 0; word < instruction.destination_rows; ++word) {
        rows.destination[word] = destination_row(map, instruction, word);
    }
    rows.source_predicate = predicates[decoded.source_predicate.slot] ^ decoded.source_predicate.flip;
    rows.source_predicate2 = predicates[decoded.source_predicate2.slot] ^ decoded.source_predicate2.flip;
    rows.destination_predicate = predicates[decoded.destination_predicate];
    rows.destination_predicate2 = predicates[decoded.destination_predicate2];
    return rows;
}

[[gnu::hot]] void ExecuteStage::alu(unsigned context, Stream& stream, const DecodedInstruction& decoded,
                                    LaneMask active) {
    isa::OperandRows rows = operand_rows(context, stream, decoded);
    isa::execute(decoded, rows, active);
    if (decoded.writes_predicate) {
        // The complement first: if both destinations are one predicate, the first one counts.
        stream.predicates[decoded.destination_predicate2] = rows.destination_predicate2;
        stream.predicates[decoded.destination_predicate] = rows.destination_predicate;
    }
}

void ExecuteStage::read_special(unsigned context, const isa::Instruction& instruction, Cycle now,
                                isa::Row (&values)[2]) const {
    const Stream& stream = state_.warps.streams[context];
    isa::WarpIdentity warp;
    warp.ctaid = ctas_.slot(stream.cta_slot).position;
    warp.block = state_.launch.fields.block;
    warp.first_thread = stream.first_thread;
    warp.warp_slot = context;
    warp.warp_slots = static_cast<std::uint32_t>(state_.parameters.max_warps);
    warp.sm = identity_.index;
    warp.sms = identity_.count;
    warp.clock = static_cast<std::uint64_t>(now);
    warp.nanoseconds = static_cast<std::uint64_t>(clock_.edge(now)) / 1'000'000;
    warp.launch = state_.launch.fields.launch;
    isa::read_special(instruction.special, warp, values[0].lanes, values[1].lanes);
}

void ExecuteStage::special_register(unsigned context, const DecodedInstruction& decoded, LaneMask active, Cycle now) {
    const isa::Instruction& instruction = *decoded.instruction;
    isa::Row values[2];
    read_special(context, instruction, now, values);
    if (instruction.uniform) { active = isa::kFullMask; }
    const std::uint16_t* map = state_.warps.map.of(context);
    for (unsigned word = 0; word < instruction.destination_rows; ++word) {
        std::uint32_t* row = destination_row(map, instruction, word);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            row[lane] = (active >> lane) & 1 ? values[word].lanes[lane] : row[lane];
        }
    }
}

[[gnu::hot]] void ExecuteStage::memory(unsigned context, const Stream& stream, const DecodedInstruction& decoded,
                                       LaneMask active, Cycle now, Cycle from) {
    const isa::Instruction& instruction = *decoded.instruction;
    const std::uint16_t* map = state_.warps.map.of(context);
    make_request(context, stream.stack.pc(), map, active, from);
    request_.token = 0;
    request_.pre_load = false;
    for (unsigned word = 0; word < instruction.destination_rows; ++word) {
        request_.destination_rows[word] = map[instruction.destination + word];
    }
    if (!isa::is_load(instruction.operation)) { read_store_data(map, instruction); }
    try {
        memory_.accept(request_, now);
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", place_of(context), error.what()); }
}

MemoryInstruction& ExecuteStage::make_request(unsigned context, std::uint32_t pc, const std::uint16_t* map,
                                              LaneMask active, Cycle from) {
    const Stream& stream = state_.warps.streams[context];
    const isa::Instruction& instruction = *(*state_.kernel)[pc].instruction;
    request_.ready = from;
    request_.instruction = &instruction;
    request_.pc = pc;
    request_.context = static_cast<std::uint16_t>(context);
    request_.cta_slot = stream.cta_slot;
    request_.active = active;
    request_.destination_rows = {};  // the saved state has all rows, also unused ones
    request_.shared_bytes = state_.launch.occupancy.shared_bytes_per_cta;
    request_.shared_base = stream.cta_slot * request_.shared_bytes;
    const std::uint64_t warp = identity_.index * static_cast<std::uint64_t>(state_.parameters.max_warps) + context;
    request_.local_bytes = state_.kernel->kernel().local_bytes;
    request_.local_base = isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(request_.local_bytes);
    const isa::Operand& address = instruction.source[0];
    if (address.kind == isa::Operand::Kind::none) [[unlikely]] {
        given_addresses(context, instruction, active);
    } else {
        const std::uint32_t* low = source_row(map, address, 0);
        const std::uint32_t* high = address.rows > 1 ? source_row(map, address, 1) : nullptr;
        isa::compute_addresses(instruction, low, high, active, request_.addresses);
        if (const isa::Operand& base = instruction.source[3]; base.kind != isa::Operand::Kind::none) [[unlikely]] {
            isa::add_base(instruction, low, source_row(map, base, 0), source_row(map, base, base.rows - 1u), active,
                          request_.addresses);
        }
    }
    request_.elements = 1;
    request_.indexed = false;
    if (isa::is_vector_memory(instruction.operation)) [[unlikely]] { read_offsets(map, instruction); }
    return request_;
}

/// The addresses of an instruction without a source of them: those of its queue, or of the recording.
void ExecuteStage::given_addresses(unsigned context, const isa::Instruction& instruction, LaneMask active) {
    if (instruction.dequeues) {
        state_.extensions->queues()->dequeue_addresses(context, active, request_.addresses);
    } else {
        const isa::Recording& recording = *state_.kernel->kernel().recording;
        recording.read_addresses(state_.recorded.at(recording, context), request_.addresses);
    }
}

/// Reads the stride or the indices of a vector memory instruction.
void ExecuteStage::read_offsets(const std::uint16_t* map, const isa::Instruction& instruction) {
    request_.elements = instruction.vector;
    request_.indexed = !isa::is_strided(instruction.operation);
    const isa::Operand& offsets = instruction.source[isa::pattern_source(instruction.operation)];
    for (unsigned row = 0; row < request_.offset_rows(); ++row) {
        std::memcpy(request_.offsets[row], source_row(map, offsets, row), sizeof request_.offsets[row]);
    }
}

/// Stores have their elements' words in source[1]; atomics their operands in source[1] and source[2].
void ExecuteStage::read_store_data(const std::uint16_t* map, const isa::Instruction& instruction) {
    if (isa::is_store(instruction.operation)) {
        for (unsigned word = 0; word < instruction.source[1].rows; ++word) {
            std::memcpy(request_.data[word], source_row(map, instruction.source[1], word), sizeof request_.data[word]);
        }
        return;
    }
    for (unsigned i = 1; i < 3; ++i) {
        const isa::Operand& operand = instruction.source[i];
        for (unsigned word = 0; word < operand.rows; ++word) {
            std::memcpy(request_.data[(i - 1) * 2 + word], source_row(map, operand, word), sizeof request_.data[0]);
        }
    }
}

[[gnu::hot]] void ExecuteStage::branch(unsigned context, Stream& stream, const DecodedInstruction& decoded,
                                       LaneMask taken, Cycle now) {
    const isa::Instruction& instruction = *decoded.instruction;
    const std::uint32_t pc = stream.stack.pc();
    ++state_.counters.branches;
    state_.counters.divergent_branches += taken != stream.stack.active();
    stream.stack.branch(taken, instruction);
    if (stream.stack.spins() >= state_.spin_limit) { watch_spinning(context, stream); }
    branched(context, stream, pc, now);
}

void ExecuteStage::computed_branch(unsigned context, Stream& stream, const DecodedInstruction& decoded, LaneMask active,
                                   Cycle now) {
    const std::uint32_t pc = stream.stack.pc();
    const std::uint32_t* const row = source_row(state_.warps.map.of(context), decoded.instruction->source[0], 0);
    const LaneMask taken = isa::lanes_equal_to_first(row, active);
    ++state_.counters.branches;
    state_.counters.divergent_branches += taken != stream.stack.active();
    try {
        stream.stack.jump(taken,
                          state_.kernel->kernel().computed_target(*decoded.instruction, row[std::countr_zero(active)]));
    } catch (const ProgramError& error) { throw ProgramError("{}: {}", place_of(context), error.what()); }
    branched(context, stream, pc, now);
}

/// The warp fetches from its new place when the branch is resolved.
[[gnu::hot]] inline void ExecuteStage::branched(unsigned context, Stream& stream, std::uint32_t old_pc, Cycle now) {
    moved(context, stream, old_pc);
    state_.pause(context, ContextState::branching);
    const PipelineEvent event{PipelineEvent::Kind::branch_resolved, static_cast<std::uint16_t>(context), 0};
    state_.wheel.schedule(now, now + state_.parameters.branch_latency, event.packed());
}

void ExecuteStage::exit(unsigned context, Stream& stream, LaneMask active, Cycle now) {
    const std::uint32_t pc = stream.stack.pc();
    stream.stack.exit(active);
    settle_meetings(context, stream, now);
    if (!stream.stack.done()) { return go_on(context, stream, pc); }
    ctas_.warp_exited(context);
    barriers_.warp_exited(stream.cta_slot, now);
}

void ExecuteStage::fence(unsigned context, Stream& stream, const DecodedInstruction& decoded, Cycle now) {
    ++stream.in_flight;
    state_.pause(context, ContextState::at_fence);
    memory_.accept_fence(static_cast<std::uint16_t>(context), *decoded.instruction, now);
}

void ExecuteStage::trap(unsigned context, const DecodedInstruction& decoded, LaneMask active) const {
    const isa::Instruction& instruction = *decoded.instruction;
    if (instruction.mode == static_cast<std::uint8_t>(isa::TrapMode::plain)) {
        throw ProgramError("{}: trap", place_of(context));
    }
    if (instruction.mode == static_cast<std::uint8_t>(isa::TrapMode::stack)) {
        throw ProgramError("{}: {}", place_of(context), isa::stack_overflow_sentence());
    }
    const std::uint16_t* map = state_.warps.map.of(context);
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    if (instruction.mode == static_cast<std::uint8_t>(isa::TrapMode::call)) {
        const isa::Operand& address = instruction.source[0];
        throw ProgramError("{}: {}", place_of(context),
                           isa::wrong_call_sentence(source_row(map, address, 0)[lane],
                                                    source_row(map, address, address.rows - 1u)[lane]));
    }
    const std::uint32_t* texts[4];
    const std::uint32_t* rest[3];
    for (unsigned word = 0; word < 4; ++word) { texts[word] = source_row(map, instruction.source[0], word); }
    for (unsigned word = 0; word < 3; ++word) { rest[word] = source_row(map, instruction.source[1], word); }
    const Stream& stream = state_.warps.streams[context];
    throw ProgramError(
        "{}: {}", place_of(context),
        isa::sentence(isa::FailedAssertion::read(texts, rest, lane), *state_.image,
                      ctas_.slot(stream.cta_slot).position, state_.launch.fields.block, stream.first_thread + lane));
}

[[gnu::hot]] void ExecuteStage::reserve(unsigned context, Stream& stream, std::uint32_t pc,
                                        const DecodedInstruction& decoded) {
    if (decoded.writes) {
        ++stream.in_flight;
        state_.warps.scoreboard.reserve(context, state_.kernel->writes(pc), decoded.long_latency);
        if (decoded.write_barrier != kNoBarrier) [[unlikely]] { count(context, decoded, decoded.write_barrier); }
    }
}

/// The barrier counts the instruction until it has written its result or read its operands.
void ExecuteStage::count(unsigned context, const DecodedInstruction& decoded, unsigned barrier) {
    state_.dependences.increase(context, barrier);
    state_.warps.scoreboard.reserve_bit(context, state_.kernel->first_barrier_bit() + barrier, decoded.long_latency);
}

void ExecuteStage::count_down(unsigned context, unsigned barrier) {
    if (state_.dependences.decrease(context, barrier)) {
        state_.warps.scoreboard.release_bit(context, state_.kernel->first_barrier_bit() + barrier);
    }
}

void ExecuteStage::operands_read(unsigned context, unsigned barrier) {
    --state_.warps.streams[context].in_flight;
    count_down(context, barrier);
    state_.wake(context);
}

void ExecuteStage::stall_ended(unsigned context) {
    if (state_.warps.states.of(context) == ContextState::stalled) { state_.classify(context); }
}

/// The warp has issued the instruction at `pc`, whose control word counts its operands and stalls the warp.
void ExecuteStage::follow_control_word(unsigned context, Stream& stream, const DecodedInstruction& decoded) {
    const Cycle now = state_.now;
    const auto schedule = [&](PipelineEvent::Kind kind, std::uint32_t detail, Cycle at) {
        state_.wheel.schedule(now, at, PipelineEvent{kind, static_cast<std::uint16_t>(context), detail}.packed());
    };
    if (decoded.read_barrier != kNoBarrier) {
        ++stream.in_flight;
        count(context, decoded, decoded.read_barrier);
        schedule(PipelineEvent::Kind::operands_read, decoded.read_barrier, now + decoded.read_latency);
    }
    const ContextState waited = state_.warps.states.of(context);
    const bool issues_now = waited != ContextState::at_barrier && waited != ContextState::at_fence;
    if (decoded.issue_distance > 1 && issues_now) {
        state_.dependences.stall_until(context, now + decoded.issue_distance);
        schedule(PipelineEvent::Kind::stall_ended, 0, now + decoded.issue_distance);
    }
}

[[gnu::hot]] void ExecuteStage::schedule_write_back(unsigned context, std::uint32_t pc,
                                                    const DecodedInstruction& decoded, Cycle now, Cycle from) {
    reserve(context, state_.warps.streams[context], pc, decoded);
    if (decoded.writes) {
        const PipelineEvent event{PipelineEvent::Kind::write_back, static_cast<std::uint16_t>(context), pc};
        state_.wheel.schedule(now, from + decoded.latency, event.packed());
    }
}

[[gnu::hot]] void ExecuteStage::write_back(unsigned context, std::uint32_t pc) {
    state_.warps.scoreboard.release(context, state_.kernel->writes(pc));
    if (state_.kernel->by_control_words()) [[unlikely]] {
        const unsigned barrier = (*state_.kernel)[pc].write_barrier;
        if (barrier != kNoBarrier) { count_down(context, barrier); }
    }
    written(context, pc);
    state_.wake(context, pc);
}

inline void ExecuteStage::written(unsigned context, std::uint32_t pc) {
    --state_.warps.streams[context].in_flight;
    if (state_.attended.has(context)) [[unlikely]] { tell_written(context, pc, true); }
}

void ExecuteStage::tell_written(unsigned context, std::uint32_t pc, bool all) {
    state_.extensions->for_attending(context,
                                     [&](IssueExtension& extension) { extension.written_back(context, pc, all); });
}

[[gnu::hot]] void ExecuteStage::memory_completed(unsigned context, const isa::Instruction& instruction) {
    if (instruction.operation == isa::Operation::membar) {
        Stream& stream = state_.warps.streams[context];
        --stream.in_flight;
        step_past(context, stream);
        return;
    }
    write_back(context, static_cast<std::uint32_t>(&instruction - state_.kernel->kernel().code.data()));
}

/// Releases only this element's rows: a later instruction may have taken those of earlier elements.
void ExecuteStage::element_completed(unsigned context, const isa::Instruction& instruction, unsigned element,
                                     bool last) {
    state_.warps.scoreboard.release_bit(context, instruction.destination + element);
    state_.warps.streams[context].in_flight -= last;
    const auto pc = static_cast<std::uint32_t>(&instruction - state_.kernel->kernel().code.data());
    if (state_.attended.has(context)) { tell_written(context, pc, last); }
    state_.wake(context, pc);
}

[[gnu::hot]] void ExecuteStage::step_past(unsigned context, Stream& stream) {
    const std::uint32_t pc = stream.stack.pc();
    stream.stack.advance();
    go_on(context, stream, pc);
}

void ExecuteStage::pass_over(unsigned context) {
    Stream& stream = state_.warps.streams[context];
    stream.buffered = static_cast<std::uint8_t>(stream.buffered + (stream.buffered == 0));  // not supplied by fetch
    step_past(context, stream);
}

/// The warp has issued the instruction at `old_pc`: does what its control word says, or goes on as recorded.
void ExecuteStage::direct(unsigned context, Stream& stream, std::uint32_t old_pc) {
    if (state_.kernel->by_control_words()) { follow_control_word(context, stream, (*state_.kernel)[old_pc]); }
    if (const auto& recording = state_.kernel->kernel().recording; recording != nullptr) {
        stream.follow(state_.recorded.advance(*recording, context));
    }
}

/// Call it when the stack has left `old_pc`: drops the buffer unless the next instruction follows.
inline void ExecuteStage::moved(unsigned context, Stream& stream, std::uint32_t old_pc) {
    --stream.buffered;
    if (state_.kernel->is_directed()) [[unlikely]] { direct(context, stream, old_pc); }
    if (stream.stack.pc() != old_pc + 1) {
        state_.flush(context);
        if (state_.attended.has(context)) [[unlikely]] {
            state_.extensions->for_attending(context, &IssueExtension::renaming,
                                             [&](RegisterRenaming& renaming) { renaming.transferred(context); });
        }
        if (!stream.stack.runs() && !stream.stack.holds()) { report_waiting_lanes(context); }
    }
}

void ExecuteStage::go_on(unsigned context, Stream& stream, std::uint32_t old_pc) {
    moved(context, stream, old_pc);
    if (stream.stack.runs()) { state_.classify(context); }
}

std::string ExecuteStage::place_of(unsigned context) const {
    const Stream& stream = state_.warps.streams[context];
    const CtaSlot& cta = ctas_.slot(stream.cta_slot);
    const isa::Kernel& kernel = state_.kernel->kernel();
    std::uint32_t pc = stream.stack.pc();
    if (!stream.stack.runs()) {
        stream.stack.for_each_waiting([&](std::uint32_t at, LaneMask, LaneMask) { pc = at; });
    }
    const std::uint32_t line = pc < kernel.code.size() ? kernel.code[pc].line : 0;
    return fmt::format("kernel {}, CTA ({}, {}, {}), warp {}, PC {:#x}, {}:{}", kernel.name, cta.position.x,
                       cta.position.y, cta.position.z, stream.first_thread / isa::kWarpSize,
                       pc * kernel.instruction_bytes, kernel.source_file, line);
}

std::string ExecuteStage::stall_phrase(unsigned context) const {
    const Stream& stream = state_.warps.streams[context];
    const std::string place = place_of(context);
    const ContextState state = state_.warps.states.of(context);
    if (state == ready_for(ExecutionUnit::memory)) {
        return fmt::format("{}: waits for the load/store unit to accept it", place);
    }
    switch (state) {
        case ContextState::at_barrier: {
            if (!stream.partial_barrier) {
                return fmt::format("{}: waits at {}", place, barriers_.describe(stream.cta_slot, stream.barrier));
            }
            return fmt::format(
                "{}: waits at barrier {} with only lanes {:#010x}; lanes {:#010x} took another path, and on a "
                "reconvergence stack they cannot come (sm.simt=convergence_barrier lets them)",
                place, stream.barrier, stream.barrier_lanes, stream.stack.alive() & ~stream.barrier_lanes);
        }
        case ContextState::at_fence:
            return fmt::format("{}: waits for its fence", place);
        case ContextState::blocked_by_memory:
            return fmt::format("{}: waits for a value from memory", place);
        case ContextState::blocked_by_constants:
            return fmt::format("{}: waits for constants", place);
        default:
            return fmt::format("{}: is not done", place);
    }
}

}  // namespace lookahead::gpu
