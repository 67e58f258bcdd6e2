// Entering and leaving P-mode; reuse in N-mode.
#include "components/mechanisms/pmode/pmode.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error/error.h"

namespace lookahead::gpu {

using isa::LaneMask;

Pmode::Pmode(const PmodeParameters& parameters, const IssueExtensionArguments& arguments)
    : parameters_(parameters),
      state_(arguments.state),
      issue_(arguments.issue),
      execute_(arguments.execute),
      memory_(arguments.memory),
      streams_(arguments.state.contexts.size()),
      map_(static_cast<unsigned>(streams_.size())),
      last_(arguments.issue.schedulers(), 0) {
    for (PreStream& stream : streams_) {
        stream.queue.resize(static_cast<unsigned>(parameters.pqueue_entries));
    }
    find_masks();
}

LOOKAHEAD_REGISTER_VARIANT(IssueExtension, Pmode, "pmode",
                           "Warped pre-execution: a warp that waits for memory executes what does not hang on it.",
                           "Kim et al., HPCA 2016")

/// Warp registers that the launch's CTAs can occupy at once. Those of a grid that the machine holds as a whole are dealt
/// out in turns when it begins, and no more come; the CTAs of a larger one fill every place.
unsigned Pmode::occupied_rows() const {
    const Occupancy& occupancy = state_.launch.occupancy;
    const std::uint64_t sms = execute_.identity().count;
    const std::uint64_t share = (state_.launch.fields.grid.count() + sms - 1) / sms;
    const auto ctas = static_cast<unsigned>(std::min<std::uint64_t>(occupancy.ctas, share));
    return ctas * occupancy.warps_per_cta * occupancy.rows_per_warp;
}

/// The pool is what the launch leaves of the last registers.
void Pmode::begin_launch() {
    const auto total = static_cast<unsigned>(state_.parameters.registers / isa::kWarpSize);
    const unsigned occupied = occupied_rows();
    const auto last = static_cast<unsigned>(std::min<std::int64_t>(parameters_.registers, total));
    pool_.reset(std::min(total, std::max(total - last, occupied)), total,
                static_cast<unsigned>(state_.parameters.register_banks));
    const unsigned words = state_.kernel->scoreboard_words();
    const auto contexts = static_cast<unsigned>(streams_.size());
    map_.resize(state_.kernel->kernel().registers);
    pending_.resize(contexts, words);
    poison_.resize(contexts, words);
    redefined_.resize(contexts, words);
    bits_ = words * 64;
    writers_.assign(std::size_t{contexts} * bits_, kNoOperation);
    pool_charged_ = kNotCharging;
    std::fill(last_.begin(), last_.end(), 0);
}

// ---- Warps ----------------------------------------------------------------------------------------------------------

void Pmode::warp_started(unsigned context) {
    PreStream& stream = streams_[context];
    LOOKAHEAD_ASSERT(stream.renamed == 0 && stream.queue.empty() && stream.state == PreState::none,
                     "a warp starts where another one's pre-execution has not ended");
    LOOKAHEAD_ASSERT(pool_.size() == 0 || home_row(context + 1, 0) <= pool_.first(),
                     "a warp starts in renaming registers");
    stream.processed = stream.own_processed = 0;
    update_attention(context);
}

void Pmode::warp_exited(unsigned context) {
    PreStream& stream = streams_[context];
    flush_queue(context);
    ++stream.episode;
    stream.processed = stream.own_processed = 0;
    // Loads whose results nobody reads may still be under way to the warp's registers.
    stream.exited = stream.renamed > 0 && state_.contexts[context].in_flight > 0;
    if (!stream.exited) {
        release_own_registers(context);
    }
    update_attention(context);
}

void Pmode::release_own_registers(unsigned context) {
    PreStream& stream = streams_[context];
    const std::uint16_t* rows = state_.map.of(context);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned number = 0; number < registers && stream.renamed > 0; ++number) {
        if (pool_.owns(rows[number])) {
            drop_name(rows[number]);
            --stream.renamed;
        }
    }
}

/// What only the P-mode table names.
void Pmode::release_pre_registers(unsigned context) {
    const std::uint16_t* own = state_.map.of(context);
    const std::uint16_t* rows = map_.of(context);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned number = 0; number < registers; ++number) {
        if (rows[number] != own[number] && pool_.owns(rows[number])) {
            drop_name(rows[number]);
        }
    }
}

void Pmode::flush_queue(unsigned context) {
    PQueue& queue = streams_[context].queue;
    counters_.flushed += queue.size();
    queue.for_each([&](const PQueueEntry& entry) {
        for (unsigned word = 0; word < entry.words; ++word) {
            drop_name(entry.rows[word]);
        }
    });
    queue.clear();
}

void Pmode::update_attention(unsigned context) {
    const PreStream& stream = streams_[context];
    const bool attended = stream.state != PreState::none || !stream.queue.empty() || stream.renamed > 0 ||
                          stream.own_processed < stream.processed || observer_ != nullptr;
    state_.attended = (state_.attended & ~context_bit(context)) | (attended ? context_bit(context) : 0);
}

/// Frees the register now, or when the last instruction that reads it has collected it.
void Pmode::settle(unsigned row) {
    if (const Cycle at = pool_.settle(row, state_.now); at > 0) {
        schedule(0, Event::collected, row, state_.now, at);
    }
}

/// A table or queue names the register no longer.
void Pmode::drop_name(unsigned row) {
    pool_.remove_name(row);
    settle(row);
}

void Pmode::charge_pool(Cycle now) {
    const auto cycles = static_cast<std::uint64_t>(pool_charged_ == kNotCharging ? 0 : now - pool_charged_);
    counters_.pool_cycles += cycles * pool_.size();
    counters_.pool_used_cycles += cycles * (pool_.size() - pool_.free());
    pool_charged_ = now;
}

// ---- Switches -------------------------------------------------------------------------------------------------------

void Pmode::begin_cycle(Cycle now) {
    charge_pool(now);
    skipped_now_ = in(PreState::skipping);
    for (const unsigned context : skipped_now_) {
        skip(context);
    }
    if (pool_.free() > 0) {
        for (const unsigned context : enterable()) {
            enter(context, now);
        }
    }
    if (parameters_.check) {
        verify_pool();
    }
}

/// The warp's next instruction waits for a register that memory writes.
bool Pmode::waits_for_memory(unsigned context) const {
    const std::uint32_t pc = state_.contexts[context].stack.pc();
    const std::uint64_t* needs = matches(context) ? state_.kernel->writes(pc) : state_.kernel->needs(pc);
    return state_.scoreboard.blocks_for_memory(context, needs);
}

/// Warps that would enter P-mode. Without a free register they do not, and stay as they are in the baseline (the paper's
/// last paragraph of section 1): pre-execution could not issue anything.
ContextMask Pmode::enterable() const {
    ContextMask entering = 0;
    const ContextMask blocked = state_.states.in(ContextState::blocked_by_memory) & ~pre_executing_;
    for (const unsigned context : blocked) {
        // Lines of constants make a warp wait for memory, too.
        entering |= waits_for_memory(context) ? context_bit(context) : 0;
    }
    return entering;
}

/// The pre-execution stream gets copies, and what the warp's instruction buffer holds.
void Pmode::enter(unsigned context, Cycle now) {
    PreStream& stream = streams_[context];
    StreamContext& own = state_.contexts[context];
    flush_queue(context);
    ++stream.episode;
    ++counters_.switches;
    tell(PmodeStep::Kind::entered, context, own.stack.pc(), own.stack.active());
    stream.stack = own.stack;
    std::copy(std::begin(own.predicates), std::end(own.predicates), std::begin(stream.predicates));
    stream.buffered = own.buffered;
    if (parameters_.one_buffer) {
        own.buffered = 0;
    }
    stream.scratchpad_stale = false;
    stream.blocked_pc = own.stack.pc();
    stream.epoch = stream.own_epoch = 0;
    stream.entered = now;
    stream.processed = stream.own_processed = 0;
    std::fill(std::begin(stream.skipped), std::end(stream.skipped), 0);

    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned number = 0; number < registers; ++number) {
        map_.set(context, number, state_.map.of(context)[number]);
    }
    const unsigned words = state_.kernel->scoreboard_words();
    const std::size_t at = std::size_t{context} * words;
    for (unsigned word = 0; word < words; ++word) {
        poison_.of(context)[word] = state_.scoreboard.long_latency()[at + word];
        pending_.of(context)[word] = state_.scoreboard.pending()[at + word] & ~poison_.of(context)[word];
    }
    redefined_.clear(context);

    pre_executing_ |= context_bit(context);
    fetch_under_way_ &= ~context_bit(context);
    set(context, PreState::switching);
    update_attention(context);
    if (parameters_.switch_cycles > 0) {
        schedule(context, Event::switched, stream.episode & kEpisodeMask, now, now + parameters_.switch_cycles);
    } else {
        set(context, PreState::waiting);
        renew(context);
    }
}

/// Every long-latency register for which the blocked instruction waited is written.
void Pmode::leave(unsigned context) {
    PreStream& stream = streams_[context];
    const Cycle waited = state_.now - stream.entered;
    counters_.cycles += static_cast<std::uint64_t>(waited);
    counters_.short_waits += waited < 100;
    tell(PmodeStep::Kind::returned, context, stream.blocked_pc, state_.contexts[context].stack.active());
    release_pre_registers(context);
    set(context, PreState::none);
    pre_executing_ &= ~context_bit(context);
    fetch_under_way_ &= ~context_bit(context);
    stream.buffered = 0;
    counters_.pqueue_accesses += stream.queue.empty() ? 0 : 1;
    update_attention(context);
}

bool Pmode::classify(unsigned context) {
    ContextStates& states = state_.states;
    if (pre_executing_.has(context)) {
        if (waits_for_memory(context)) {
            states.set(context, ContextState::blocked_by_memory);
            return true;
        }
        leave(context);
    }
    if (!matches(context)) {
        return false;
    }
    // No operand is read: of hazards only older writes to the same register are left.
    const std::uint64_t* writes = state_.kernel->writes(state_.contexts[context].stack.pc());
    if (state_.scoreboard.blocks_for_memory(context, writes)) {
        states.set(context, ContextState::blocked_by_memory);
    } else if (state_.scoreboard.blocks(context, writes) || !streams_[context].queue.head().ready) {
        states.set(context, ContextState::blocked_by_pipeline);
    } else {
        states.set(context, ContextState::ready_control);
    }
    return true;
}

void Pmode::written_back(unsigned context, std::uint32_t pc) {
    PreStream& stream = streams_[context];
    if (stream.exited) {
        if (state_.contexts[context].in_flight == 0) {
            stream.exited = false;
            release_own_registers(context);
            update_attention(context);
        }
        return;
    }
    if (stream.state == PreState::none) {
        return;
    }
    const std::uint64_t* writes = state_.kernel->writes(pc);
    const unsigned words = state_.kernel->scoreboard_words();
    for (unsigned word = 0; word < words; ++word) {
        const std::uint64_t written = writes[word] & ~redefined_.of(context)[word];
        pending_.of(context)[word] &= ~written;
        poison_.of(context)[word] &= ~written;
    }
    renew(context);
}

// ---- Reuse ----------------------------------------------------------------------------------------------------------

/// The warp's next instruction is the one of the P-queue's head. The PC alone could be that of another iteration.
bool Pmode::matches(unsigned context) const {
    const PreStream& stream = streams_[context];
    return stream.state == PreState::none && !stream.queue.empty() &&
           stream.queue.head().pc == state_.contexts[context].stack.pc() &&
           stream.queue.head().epoch == stream.own_epoch;
}

bool Pmode::supply(unsigned context, Cycle now) {
    if (!matches(context)) {
        return false;
    }
    PreStream& stream = streams_[context];
    StreamContext& own = state_.contexts[context];
    const PQueueEntry entry = stream.queue.head();
    const DecodedInstruction& decoded = (*state_.kernel)[entry.pc];
    LOOKAHEAD_ASSERT(entry.active == decoded.guarded_lanes(own.stack.active(), own.predicates),
                     "a result is reused by other lanes than made it");
    if (parameters_.check) {
        verify_reuse(context, entry, now);
    }
    tell(PmodeStep::Kind::reused, context, entry.pc, own.stack.active());
    for (unsigned word = 0; word < entry.words; ++word) {
        const unsigned number = decoded.instruction->destination + word;
        const std::uint16_t old = state_.map.of(context)[number];
        state_.map.set(context, number, entry.rows[word]);
        if (pool_.owns(old)) {
            drop_name(old);
        } else {
            ++stream.renamed;
        }
    }
    if (decoded.writes_predicate) {
        own.predicates[decoded.destination_predicate] = entry.predicate;
        own.predicates[decoded.destination_predicate2] = entry.predicate2;
    }
    stream.queue.pop();
    const auto lanes = static_cast<unsigned>(std::popcount(entry.active));
    ++state_.counters.warp_instructions;
    ++state_.counters.by_class[static_cast<unsigned>(decoded.instruction_class)];
    state_.counters.thread_instructions += lanes;
    ++counters_.reused;
    ++counters_.renamings;
    counters_.pqueue_accesses += stream.queue.empty() ? 0 : 1;
    --counters_.repeated;
    counters_.repeated_threads -= lanes;
    --counters_.repeated_by_class[static_cast<unsigned>(decoded.instruction_class)];
    ++stream.own_processed;
    execute_.pass_over(context);
    update_attention(context);
    return true;
}

/// An instruction that writes all of a renamed register writes to the register's own place again, and the renamed one is
/// given back; one that writes part of it writes where the rest is.
void Pmode::before_execution(unsigned context, Cycle) {
    PreStream& stream = streams_[context];
    const StreamContext& own = state_.contexts[context];
    const DecodedInstruction& decoded = (*state_.kernel)[own.stack.pc()];
    replaced_count_ = 0;
    tell(PmodeStep::Kind::own, context, own.stack.pc(), own.stack.active());
    if (stream.own_processed < stream.processed) {
        track_own(context, decoded);
    }
    if (stream.renamed == 0) {
        return;
    }
    ++counters_.renamings;
    const bool writes_at_once =
        decoded.action == Action::alu || decoded.action == Action::special_register || decoded.action == Action::memory;
    if (!writes_at_once || is_partial(own.stack, decoded)) {
        return;
    }
    for (unsigned word = 0; word < decoded.instruction->destination_rows; ++word) {
        const unsigned number = decoded.instruction->destination + word;
        const std::uint16_t row = state_.map.of(context)[number];
        if (pool_.owns(row)) {
            const unsigned home = home_row(context, number);
            // Lanes that have exited keep what they had; a source may be the same register.
            std::memcpy(state_.registers.row(home), state_.registers.row(row), sizeof(std::uint32_t) * isa::kWarpSize);
            state_.map.set(context, number, static_cast<std::uint16_t>(home));
            --stream.renamed;
            replaced_[replaced_count_++] = row;
        }
    }
}

void Pmode::collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected, Cycle) {
    for (unsigned i = 0; i < count; ++i) {
        if (pool_.owns(rows[i])) {
            pool_.read_until(rows[i], collected);
        }
    }
    for (unsigned i = 0; i < replaced_count_; ++i) {
        drop_name(replaced_[i]);
    }
    replaced_count_ = 0;
    update_attention(context);
}

/// For statistics: what P-mode had done with the instruction that the warp executes now.
void Pmode::track_own(unsigned context, const DecodedInstruction& decoded) {
    PreStream& stream = streams_[context];
    const std::uint32_t number = stream.own_processed++;
    if (number >= PreStream::kTracked) {
        return;
    }
    const bool skipped = (stream.skipped[number / 64] >> number % 64 & 1) != 0;
    if (decoded.long_latency) {
        ++(skipped ? counters_.long_skipped : counters_.long_not_reused);
    } else {
        ++(skipped ? counters_.short_skipped : counters_.short_not_reused);
    }
}

/// pmode.check: the instruction executed with the warp's own operands gives what is reused. Scratchpad loads are left
/// out: other warps may have stored meanwhile.
void Pmode::verify_reuse(unsigned context, const PQueueEntry& entry, Cycle now) {
    const DecodedInstruction& decoded = (*state_.kernel)[entry.pc];
    const StreamContext& own = state_.contexts[context];
    if (decoded.action == Action::memory) {
        return;
    }
    isa::Row values[2];
    LaneMask predicate = entry.predicate;
    LaneMask predicate2 = entry.predicate2;
    if (decoded.action == Action::special_register) {
        execute_.read_special(context, *decoded.instruction, now, values);
    } else {
        isa::OperandRows rows = execute_.operand_rows(state_.map.of(context), own.predicates, decoded);
        for (unsigned word = 0; word < decoded.instruction->destination_rows; ++word) {
            std::memcpy(values[word].lanes, rows.destination[word], sizeof values[word].lanes);
            rows.destination[word] = values[word].lanes;
        }
        decoded.handler(rows, entry.active, *decoded.instruction);
        if (decoded.destination_predicate != kUnusedPredicate) {
            predicate = rows.destination_predicate;
        }
        if (decoded.destination_predicate2 != kUnusedPredicate) {
            predicate2 = rows.destination_predicate2;
        }
    }
    const auto differs = [&](LaneMask now_value, LaneMask reused) {
        return ((now_value ^ reused) & entry.active) != 0;
    };
    bool wrong = differs(predicate, entry.predicate) || differs(predicate2, entry.predicate2);
    for (unsigned word = 0; word < entry.words; ++word) {
        for (LaneMask left = entry.active; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            wrong |= values[word].lanes[lane] != state_.registers.row(entry.rows[word])[lane];
        }
    }
    LOOKAHEAD_ASSERT(!wrong, execute_.place_of(context) + ": a reused value is not the instruction's");
}

/// pmode.check: each register of the pool has as many names as tables and queues say, and is free if and only if nothing
/// needs it.
void Pmode::verify_pool() const {
    std::vector<unsigned> names(pool_.size(), 0);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned context = 0; context < streams_.size(); ++context) {
        const PreStream& stream = streams_[context];
        if (state_.states.of(context) == ContextState::vacant) {
            continue;
        }
        unsigned renamed = 0;
        for (unsigned number = 0; number < registers; ++number) {
            const std::uint16_t own = state_.map.of(context)[number];
            if (pool_.owns(own) && (state_.states.of(context) != ContextState::exited || stream.exited)) {
                ++names[own - pool_.first()];
                ++renamed;
            }
            const std::uint16_t pre = map_.of(context)[number];
            if (stream.state != PreState::none && pre != own && pool_.owns(pre)) {
                ++names[pre - pool_.first()];
            }
        }
        LOOKAHEAD_ASSERT(renamed == stream.renamed, "renamed registers of a warp were miscounted");
        stream.queue.for_each([&](const PQueueEntry& entry) {
            for (unsigned word = 0; word < entry.words; ++word) {
                ++names[entry.rows[word] - pool_.first()];
            }
        });
    }
    for (unsigned i = 0; i < pool_.size(); ++i) {
        const unsigned row = pool_.first() + i;
        LOOKAHEAD_ASSERT(pool_.names(row) == names[i], "a renaming register has names that no table has");
        LOOKAHEAD_ASSERT(pool_.is_free(row) != pool_.is_needed(row, state_.now),
                         "a renaming register is free and in use, or neither");
    }
}

}  // namespace lookahead::gpu
