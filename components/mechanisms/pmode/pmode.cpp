// Entering and leaving P-mode; reuse in N-mode.
#include "components/mechanisms/pmode/pmode.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/mutation/rule.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

using isa::LaneMask;

Pmode::Pmode(const PmodeParameters& parameters, const IssueExtensionArguments& arguments)
    : IssueExtension(arguments),
      parameters_(parameters),
      streams_(arguments, *this, {.count = arguments.state.warps.size(), .of_scheduler = arguments.issue.warps()}),
      warps_(arguments.state.warps.size()),
      pool_(arguments.state, streams_.set(), arguments.number) {
    for (PreExecution& warp : warps_) { warp.queue.resize(static_cast<unsigned>(parameters.pqueue_entries)); }
}

LOOKAHEAD_REGISTER_STATISTICS(PmodeCounters, "pmode", "Warped pre-execution on an SM.")
LOOKAHEAD_REGISTER_VARIANT(IssueExtension, Pmode, "pmode",
                           "Warped pre-execution: a warp that waits for memory executes what does not depend on it.",
                           "Kim et al., HPCA 2016")

void Pmode::begin_launch() {
    pool_.begin_launch(parameters_.registers, sm_.execute.identity().count);
    streams_.begin_launch();
    const unsigned words = state_.kernel->scoreboard_words();
    for (PreExecution& warp : warps_) { warp.redefined.assign(words, 0); }
    operations_.begin_launch(warps_.size(), words);
}

// ---- Warps ----------------------------------------------------------------------------------------------------------

void Pmode::warp_started(unsigned context) {
    PreExecution& warp = warps_[context];
    LOOKAHEAD_ASSERT(warp.renamed == 0 && warp.queue.empty() && !streams_.running().has(context),
                     "a warp starts where another one's pre-execution has not ended");
    LOOKAHEAD_ASSERT(pool_.size() == 0 || pool_.home_row(context + 1, 0) <= pool_.first(),
                     "a warp starts in renaming registers");
    warp.processed = warp.own_processed = 0;
    update_attention(context);
}

void Pmode::warp_exited(unsigned context) {
    PreExecution& warp = warps_[context];
    flush_queue(context);
    ++warp.episode;
    warp.processed = warp.own_processed = 0;
    // Loads with unread results may still be on the way to the warp's registers.
    warp.exited = LOOKAHEAD_RULE(load_under_way_keeps_register_beyond_exit) && warp.renamed > 0 &&
                  state_.warps.streams[context].in_flight > 0;
    if (!warp.exited) { pool_.drop_own(context, warp); }
    update_attention(context);
}

void Pmode::flush_queue(unsigned context) {
    PQueue& queue = warps_[context].queue;
    counters_.flushed += queue.size();
    queue.for_each([&](const PQueueEntry& entry) { pool_.drop(entry); });
    queue.clear();
}

void Pmode::update_attention(unsigned context) {
    const PreExecution& warp = warps_[context];
    attend(context, streams_.running().has(context) || !warp.queue.empty() || warp.renamed > 0 ||
                        warp.own_processed < warp.processed || observer_ != nullptr);
}

// ---- Switches -------------------------------------------------------------------------------------------------------

void Pmode::begin_cycle(Cycle now) {
    pool_.charge(counters_, now);
    skipped_now_ = streams_.in(ContextState::passing);
    for (const unsigned context : skipped_now_) { skip(context); }
    if (may_issue()) {
        for (const unsigned context : enterable()) { enter(context, now); }
    }
    if (parameters_.check) { pool_.verify(warps_); }
}

Cycle Pmode::next_cycle(Cycle now) const {
    const bool has_work = streams_.in(ContextState::passing) != 0 || (may_issue() && enterable() != 0);
    return has_work ? now + 1 : kNever;
}

/// Whether the warp's next instruction waits for a register that a memory access writes.
bool Pmode::waits_for_memory(unsigned context) const {
    const std::uint32_t pc = state_.warps.streams[context].stack.pc();
    const std::uint64_t* needs = matches(context) ? state_.kernel->writes(pc) : state_.kernel->needs(pc);
    return state_.warps.scoreboard.blocks_for_memory(context, needs);
}

/// Warps that would enter P-mode. Without a free register they do not, because pre-execution could not issue anything
/// (last paragraph of section 1).
ContextMask Pmode::enterable() const {
    ContextMask entering = 0;
    for (const unsigned context : state_.warps.states.in(ContextState::blocked_by_memory) & ~streams_.running()) {
        entering |= waits_for_memory(context) ? context_bit(context) : 0;
    }
    return entering;
}

/// The pre-execution stream starts with copies of the warp's state, including its instruction buffer.
void Pmode::enter(unsigned context, Cycle now) {
    PreExecution& warp = warps_[context];
    Stream& own = state_.warps.streams[context];
    flush_queue(context);
    ++warp.episode;
    ++counters_.switches;
    tell(PmodeStep::Kind::entered, context, own.stack.pc(), own.stack.active());
    Stream& stream = streams_.start(context);
    stream.stack = own.stack;
    std::copy(std::begin(own.predicates), std::end(own.predicates), std::begin(stream.predicates));
    stream.buffered = own.buffered;
    if (parameters_.one_buffer) { own.buffered = 0; }
    warp.scratchpad_stale = false;
    warp.blocked_pc = own.stack.pc();
    warp.epoch = warp.own_epoch = 0;
    warp.entered = now;
    warp.processed = warp.own_processed = 0;
    std::fill(std::begin(warp.skipped), std::end(warp.skipped), 0);
    std::fill(warp.redefined.begin(), warp.redefined.end(), 0);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned number = 0; number < registers; ++number) {
        streams_.set().map.set(context, number, state_.warps.map.of(context)[number]);
    }
    streams_.set().scoreboard.copy(context, state_.warps.scoreboard);
    update_attention(context);
    streams_.resume_after(context, parameters_.switch_cycles, now);
}

/// Call it when every long-latency register for which the blocked instruction waited is written.
void Pmode::leave(unsigned context) {
    const PreExecution& warp = warps_[context];
    const Cycle waited = state_.now - warp.entered;
    counters_.cycles += static_cast<std::uint64_t>(waited);
    counters_.short_waits += waited <= 100;
    tell(PmodeStep::Kind::returned, context, warp.blocked_pc, state_.warps.streams[context].stack.active());
    pool_.drop_pre(context);
    streams_.stop(context);
    counters_.pqueue_accesses += !warp.queue.empty();
    update_attention(context);
}

bool Pmode::classify(unsigned context) {
    if (streams_.running().has(context)) {
        if (LOOKAHEAD_RULE(return_awaits_all_sources) && waits_for_memory(context)) {
            state_.enter(context, ContextState::blocked_by_memory);
            return true;
        }
        leave(context);
    }
    if (!matches(context)) { return false; }
    // A reused instruction reads no operand: the only hazards left are older writes to the same register.
    const std::uint64_t* writes = state_.kernel->writes(state_.warps.streams[context].stack.pc());
    if (state_.warps.scoreboard.blocks_for_memory(context, writes)) {
        state_.enter(context, ContextState::blocked_by_memory);
    } else if (state_.warps.scoreboard.blocks(context, writes) || !warps_[context].queue.head().ready) {
        state_.enter(context, ContextState::blocked_by_pipeline);
    } else {
        state_.enter(context, ready_for(ExecutionUnit::control));
    }
    return true;
}

void Pmode::written_back(unsigned context, std::uint32_t, bool) {
    PreExecution& warp = warps_[context];
    if (warp.exited) {
        if (state_.warps.streams[context].in_flight > 0) { return; }
        warp.exited = false;
        pool_.drop_own(context, warp);
        update_attention(context);
    } else if (streams_.running().has(context)) {
        streams_.set().scoreboard.release_as(context, state_.warps.scoreboard, warp.redefined.data());
        streams_.renew(context);
    }
}

// ---- Reuse ----------------------------------------------------------------------------------------------------------

/// Whether the warp's next instruction is the head of the P-queue. The PC alone could be that of another iteration.
bool Pmode::matches(unsigned context) const {
    const PreExecution& warp = warps_[context];
    return !streams_.running().has(context) && !warp.queue.empty() &&
           warp.queue.head().pc == state_.warps.streams[context].stack.pc() &&
           warp.queue.head().epoch == warp.own_epoch;
}

bool Pmode::supply(unsigned context, Cycle now) {
    if (!matches(context)) { return false; }
    PreExecution& warp = warps_[context];
    Stream& own = state_.warps.streams[context];
    const PQueueEntry entry = warp.queue.head();
    const DecodedInstruction& decoded = (*state_.kernel)[entry.pc];
    LOOKAHEAD_ASSERT(entry.active == decoded.guarded_lanes(own.stack.active(), own.predicates),
                     "a result is reused by other lanes than made it");
    if (decoded.action == Action::converged) { sm_.execute.require_members(context, decoded, entry.active); }
    if (parameters_.check) { verify_reuse(context, entry, now); }
    tell(PmodeStep::Kind::reused, context, entry.pc, own.stack.active());
    pool_.reuse(context, warp, entry, decoded.instruction->destination);
    if (decoded.writes_predicate) {
        own.predicates[decoded.destination_predicate] = entry.predicate;
        own.predicates[decoded.destination_predicate2] = entry.predicate2;
    }
    warp.queue.pop();
    const auto lanes = static_cast<unsigned>(std::popcount(entry.active));
    state_.count_issue(entry.pc, entry.active);
    ++counters_.reused;
    ++counters_.renamings;
    counters_.pqueue_accesses += !warp.queue.empty();
    --counters_.repeated;
    counters_.repeated_threads -= lanes;
    --counters_.repeated_by_class[static_cast<unsigned>(decoded.instruction_class)];
    ++warp.own_processed;
    sm_.execute.pass_over(context);
    update_attention(context);
    return true;
}

/// An instruction that writes all of a renamed register writes the register's own row again and frees the renamed one;
/// a partial write goes to the row that holds the rest.
void Pmode::before_execution(unsigned context, Cycle) {
    PreExecution& warp = warps_[context];
    const Stream& own = state_.warps.streams[context];
    const DecodedInstruction& decoded = (*state_.kernel)[own.stack.pc()];
    tell(PmodeStep::Kind::own, context, own.stack.pc(), own.stack.active());
    if (warp.own_processed < warp.processed) { track_own(context, decoded); }
    if (warp.renamed == 0) { return; }
    ++counters_.renamings;
    const bool writes_at_once = decoded.action == Action::alu || decoded.action == Action::converged ||
                                decoded.action == Action::special_register || decoded.action == Action::memory;
    if (writes_at_once && !is_partial(own.stack, decoded)) { pool_.return_home(context, warp, *decoded.instruction); }
}

void Pmode::collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected, Cycle) {
    for (unsigned i = 0; i < count; ++i) {
        if (LOOKAHEAD_RULE(own_readers_keep_register) && pool_.owns(rows[i])) { pool_.read_until(rows[i], collected); }
    }
    pool_.drop_replaced();
    update_attention(context);
}

/// For statistics: what P-mode did with the instruction that the warp executes now.
void Pmode::track_own(unsigned context, const DecodedInstruction& decoded) {
    PreExecution& warp = warps_[context];
    const std::uint32_t number = warp.own_processed++;
    if (number >= PreExecution::kTracked) { return; }
    const bool skipped = (warp.skipped[number / 64] >> number % 64 & 1) != 0;
    if (decoded.long_latency) {
        ++(skipped ? counters_.long_skipped : counters_.long_not_reused);
    } else {
        ++(skipped ? counters_.short_skipped : counters_.short_not_reused);
    }
}

/// pmode.check: compares a reused result with the instruction's result on the warp's own operands. Scratchpad loads are
/// excluded, because other warps may have stored meanwhile.
void Pmode::verify_reuse(unsigned context, const PQueueEntry& entry, Cycle now) {
    const DecodedInstruction& decoded = (*state_.kernel)[entry.pc];
    const Stream& own = state_.warps.streams[context];
    if (decoded.action == Action::memory) { return; }
    isa::Row values[2];
    LaneMask predicate = entry.predicate;
    LaneMask predicate2 = entry.predicate2;
    if (decoded.action == Action::special_register) {
        sm_.execute.read_special(context, *decoded.instruction, now, values);
    } else {
        isa::OperandRows rows = sm_.execute.operand_rows(state_.warps.map.of(context), own.predicates, decoded);
        for (unsigned word = 0; word < decoded.instruction->destination_rows; ++word) {
            std::memcpy(values[word].lanes, rows.destination[word], sizeof values[word].lanes);
            rows.destination[word] = values[word].lanes;
        }
        isa::execute(decoded, rows, entry.active);
        if (decoded.destination_predicate != kUnusedPredicate) { predicate = rows.destination_predicate; }
        if (decoded.destination_predicate2 != kUnusedPredicate) { predicate2 = rows.destination_predicate2; }
    }
    const LaneMask differing = (predicate ^ entry.predicate) | (predicate2 ^ entry.predicate2);
    bool wrong = (differing & entry.active) != 0;
    for (unsigned word = 0; word < entry.words; ++word) {
        for (const unsigned lane : SetBits(entry.active)) {
            wrong |= values[word].lanes[lane] != state_.registers.row(entry.rows[word])[lane];
        }
    }
    LOOKAHEAD_ASSERT(!wrong, "{}: a reused value is not the instruction's", sm_.execute.place_of(context));
}

void Pmode::audit(Audit& audit, const std::string& sm) const {
    audit.leak(sm, "renaming registers that are not free", pool_.size() - pool_.free());
    audit.leak(sm, "pre-executed instructions under way", operations_.under_way());
    streams_.audit(audit, sm, "warps in pre-execution");
    audit.balance(sm, "reusable results", counters_.queued, counters_.reused + counters_.flushed);
}

void Pmode::fields(StateArchive& archive) {
    archive& warps_& operations_& pool_& counters_;
    streams_.fields(archive);
}

}  // namespace lookahead::gpu
