#include "components/mechanisms/dac/dac.h"

#include <algorithm>
#include <bit>

#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/mutation/rule.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::dac {

using gpu::DecodedInstruction;
using gpu::IssueExtension;
using gpu::Stream;
using isa::LaneMask;

LOOKAHEAD_REGISTER_VARIANT(
    IssueExtension, Dac, "dac",
    "Decoupled affine computation: one warp per SM computes the addresses and predicates of all others.",
    "Wang and Lin, ISCA 2017")
LOOKAHEAD_REGISTER_STATISTICS(DacCounters, "dac", "Decoupled affine computation on an SM.")

Dac::Dac(const DacParameters& parameters, const gpu::IssueExtensionArguments& arguments)
    : IssueExtension(arguments),
      parameters_(parameters),
      tuples_(parameters_, counters_),
      queues_(parameters_, state_.warps.size()),
      lines_(sm_, queues_, counters_),
      affine_(parameters_, sm_, launch_, tuples_, queues_, counters_),
      predicate_unit_(sm_, launch_, tuples_, queues_, affine_, counters_),
      address_unit_(parameters_, sm_, launch_, tuples_, queues_, lines_, affine_, counters_) {}

// ---- Launches and cycles --------------------------------------------------------------------------------------------

void Dac::begin_launch() {
    launch_.begin(sm_, parameters_.check);
    affine_.begin_launch();
    queues_.begin_launch(launch_.decouples() ? launch_.warps() : 0);
    tuples_.begin_launch(launch_.ctas(), launch_.warps_per_cta());
}

void Dac::warp_started(unsigned context) {
    attend(context, launch_.decouples());
    if (!launch_.decouples()) { return; }
    LOOKAHEAD_ASSERT(!lines_.holds_for(context), "a warp starts where another one's lines are locked");
    affine_.warp_started(launch_.slot_of(context));
    queues_.start(context);
    at_marker_[context] = 0;
    waiting_[context] = Wait::nothing;
}

void Dac::warp_exited(unsigned context) {
    if (!launch_.decouples()) { return; }
    LOOKAHEAD_ASSERT(queues_.empty(context) && !tuples_.owes(context),
                     "{}: the warp ends with something left to dequeue", sm_.execute.place_of(context));
    // Its last report may concern its exit.
    queues_.reports(context).shrink(0);
    affine_.warp_exited(context);
    tuples_.renew_units(state_.now);
}

void Dac::begin_cycle(Cycle now) {
    if (!launch_.decouples()) { return; }
    if (lines_.some_came()) { lines_.note_lines_that_came(); }
    if (lines_.some_accessed()) { release_lines(); }
    predicate_unit_.note_compared(now);
    if (affine_.due() <= now) { affine_.start(now); }
    predicate_unit_.begin_cycle(now);
    address_unit_.begin_cycle(now);
}

Cycle Dac::next_cycle(Cycle now) const {
    if (!launch_.decouples()) { return gpu::kNever; }
    if (lines_.some_came() || lines_.some_accessed()) { return now + 1; }
    const Cycle next = std::min(address_unit_.next_cycle(now), predicate_unit_.next_cycle(now));
    return std::min(next, std::max(now + 1, affine_.due()));
}

// ---- What warps wait for --------------------------------------------------------------------------------------------

void Dac::note_wait(unsigned context, Wait wait) {
    if (waiting_[context] == wait) { return; }
    const auto cycles = static_cast<std::uint64_t>(state_.now - waiting_since_[context]);
    counters_.empty_queue_cycles += waiting_[context] == Wait::entry ? cycles : 0;
    counters_.data_wait_cycles += waiting_[context] == Wait::lines ? cycles : 0;
    counters_.report_full_cycles += waiting_[context] == Wait::report ? cycles : 0;
    waiting_[context] = wait;
    waiting_since_[context] = state_.now;
}

/// Section 4.1: a warp does not issue if its "PWPQ or PWAQ is empty, or the data ... is not yet available".
bool Dac::classify(unsigned context) {
    const Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    if (at_marker_[context] != 0 && at_marker_[context] != pc + 1) { pass_marker(context); }
    if (stream.buffered == 0 || !launch_.takes_from_queue(pc)) { return false; }
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const gpu::ContextState state = state_.waits_for(state_.warps, context, pc, state_.kernel->needs(pc));
    const bool branches = decoded.action == gpu::Action::branch;
    if (state != gpu::ready_for(decoded.unit) ||
        (!branches && decoded.guarded_lanes(stream.stack.active(), stream.predicates) == 0)) {
        return false;
    }
    const Wait wait = waits_for(context, decoded);
    note_wait(context, wait);
    if (wait == Wait::nothing) { return false; }
    // To the scheduler this is no short wait. A scheduler with few active warps must make room for warps that can
    // proceed, because these may hold up the affine warp, which the others wait for.
    state_.enter(context, gpu::ContextState::blocked_by_memory);
    return true;
}

Dac::Wait Dac::waits_for(unsigned context, const DecodedInstruction& decoded) const {
    if (is_report(*decoded.instruction)) { return queues_.reports(context).full() ? Wait::report : Wait::nothing; }
    if (decoded.action != gpu::Action::memory) {
        const PredicateQueue& predicates = queues_.predicates(context);
        return predicates.empty() || predicates.front().ready > state_.now ? Wait::entry : Wait::nothing;
    }
    if (queues_.addresses(context).empty()) { return Wait::entry; }
    if (LOOKAHEAD_RULE(dequeue_awaits_its_lines) && !head_may_go(context)) { return Wait::lines; }
    return Wait::nothing;
}

/// Whether the access at the queue's head can proceed.
bool Dac::head_may_go(unsigned context) const {
    const AddressQueue& addresses = queues_.addresses(context);
    if (parameters_.loads_await_lines) { return addresses.head().awaited == 0; }
    const bool unfinished = address_unit_.is_at(context) && addresses.accesses() == 1;
    return !unfinished;
}

void Dac::pass_marker(unsigned context) {
    at_marker_[context] = 0;
    queues_.pass_marker(context);
    tuples_.renew_units(state_.now);
}

// ---- What warps take from their queues ------------------------------------------------------------------------------

void Dac::check_pair(const PairName& name, unsigned context, LaneMask active, std::uint32_t due) const {
    LOOKAHEAD_ASSERT(launch_.same_origin(name.pc, state_.warps.streams[context].stack.pc()),
                     "{}: the queue's head is of another instruction", sm_.execute.place_of(context));
    LOOKAHEAD_ASSERT(name.sequence == due, "{}: the queue's head is number {}, and {} is due",
                     sm_.execute.place_of(context), name.sequence, due);
    LOOKAHEAD_ASSERT(name.active == active, "{}: what is dequeued was enqueued for other lanes",
                     sm_.execute.place_of(context));
}

LaneMask Dac::dequeue_predicate(unsigned context, LaneMask active) {
    PredicateQueue& queue = queues_.predicates(context);
    LOOKAHEAD_ASSERT(!queue.empty(), "{}: dequeues from an empty predicate queue", sm_.execute.place_of(context));
    const QueuedPredicate head = queue.front();
    check_pair(head.name, context, active, queues_.next_predicate(context));
    queue.pop();
    ++counters_.pwpq_accesses;
    ++counters_.dequeued_predicates;
    tuples_.renew_units(state_.now);
    affine_.renew();
    return head.holds;
}

void Dac::report(unsigned context, LaneMask active, LaneMask holds) {
    PredicateQueue& reports = queues_.reports(context);
    LOOKAHEAD_ASSERT(!reports.full(), "{}: reports more than there is room for", sm_.execute.place_of(context));
    reports.push() = {{state_.warps.streams[context].stack.pc(), 0, active}, holds & active};
    ++counters_.reports;
    ++counters_.report_accesses;
    affine_.renew();
}

/// A dequeue instruction reads the queue instead of registers, and sets its predicate before the next instruction; a
/// report is equally simple.
bool Dac::supply(unsigned context, Cycle) {
    Stream& stream = state_.warps.streams[context];
    const DecodedInstruction& decoded = (*state_.kernel)[stream.stack.pc()];
    if (decoded.action != gpu::Action::queue) { return false; }
    const LaneMask active = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    gpu::SmCounters& counters = state_.counters;
    state_.count_issue(stream.stack.pc(), active);
    ++counters_.queue_instructions;
    counters_.queue_threads += static_cast<unsigned>(std::popcount(active));
    if (active == 0) {
        ++counters.predicated_off;
    } else if (is_report(*decoded.instruction)) {
        report(context, active, stream.predicates[decoded.source_predicate.slot] ^ decoded.source_predicate.flip);
    } else {
        const LaneMask holds = dequeue_predicate(context, active);
        const auto set = [&](std::uint8_t slot, LaneMask lanes) {
            stream.predicates[slot] = (stream.predicates[slot] & ~active) | (lanes & active);
        };
        set(decoded.destination_predicate2, ~holds);
        set(decoded.destination_predicate, holds);
    }
    sm_.execute.pass_over(context);
    return true;
}

void Dac::before_execution(unsigned context, Cycle now) {
    Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const LaneMask lanes = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    if (launch_.has_marker(pc) && lanes != 0) { at_marker_[context] = pc + 1; }
    if (!launch_.takes_from_queue(pc)) { return; }
    if (decoded.action == gpu::Action::branch) {
        const LaneMask active = stream.stack.active();
        const LaneMask holds = dequeue_predicate(context, active);
        LaneMask& predicate = stream.predicates[decoded.destination_predicate];
        predicate = (predicate & ~active) | (holds & active);
        LaneMask& complement = stream.predicates[decoded.destination_predicate2];
        complement = decoded.destination_predicate2 == decoded.destination_predicate
                         ? complement
                         : (complement & ~active) | (~holds & active);
    } else if (lanes != 0 && queues_.addresses(context).head().records == 0) {
        // Function (1) of section 3 runs on the lanes before the access and takes one more instruction's issue slot.
        sm_.issue.hold(context % sm_.issue.schedulers(), 2 * sm_.issue.interval(), now);
    }
}

void Dac::dequeue_addresses(unsigned context, LaneMask active, std::uint64_t* addresses) {
    AddressQueue& queue = queues_.addresses(context);
    LOOKAHEAD_ASSERT(!queue.empty(), "{}: dequeues from an empty address queue", sm_.execute.place_of(context));
    QueuedAccess& head = queue.head();
    check_pair(head.name, context, active, queues_.next_address(context));
    LaneAddresses lanes{};
    if (head.records == 0) {
        lanes = head.addresses;
        ++counters_.pwaq_accesses;
        counters_.raw_data += head.data;
    } else {
        read_records(context, head, active, lanes);
    }
    ++(head.data ? counters_.dequeued_data : counters_.dequeued_addresses);
    std::copy(lanes.begin(), lanes.end(), addresses);
    queue.pop();
    tuples_.renew_units(state_.now);
}

void Dac::read_records(unsigned context, QueuedAccess& access, LaneMask active, LaneAddresses& lanes) {
    RecordReader reader(active, launch_.rows_of(context), lanes);
    for (unsigned number = 0; number < access.records; ++number) {
        QueuedRecord& record = queues_.addresses(context).head_record(number);
        reader.take(record.record, number + 1 == access.records);
        lines_.dequeued(context, access.name.sequence, record);
    }
    counters_.pwaq_accesses += access.records;
    LOOKAHEAD_ASSERT(reader.done(), "{}: records of an access have too few lanes", sm_.execute.place_of(context));
    for (const unsigned lane : SetBits(parameters_.check ? active : 0)) {
        LOOKAHEAD_ASSERT(lanes[lane] == access.addresses[lane],
                         "{}: a record gives lane {} another address than its tuple", sm_.execute.place_of(context),
                         lane);
    }
    if (launch_.kernel().code[access.name.pc].space == isa::Space::local) { to_thread_offsets(context, active, lanes); }
}

/// Records have addresses in the warp's local memory; the instruction needs its threads' own offsets.
void Dac::to_thread_offsets(unsigned context, LaneMask active, LaneAddresses& addresses) const {
    const std::uint64_t base = launch_.local_memory_of(context);
    for (const unsigned lane : SetBits(active)) {
        const std::uint64_t offset = addresses[lane] - base;
        addresses[lane] = offset / isa::kLocalRowBytes * 4 + offset % 4;
    }
}

void Dac::written_back(unsigned context, std::uint32_t, bool) {
    if (state_.warps.streams[context].in_flight == 0 && lines_.loads_ended(context)) { release_lines(); }
}

void Dac::release_lines() {
    lines_.release_accessed();
    address_unit_.locks_ended();
}

// ---- State, auditing, statistics ------------------------------------------------------------------------------------

void Dac::audit(Audit& audit, const std::string& sm) const {
    affine_.audit(audit, sm);
    audit.leak(sm, "affine tuples that were not expanded", tuples_.size());
    lines_.audit(audit, sm);
    audit.leak(sm, "comparisons on the lanes that have not ended", predicate_unit_.comparing());
    queues_.audit(audit, sm);
    const std::uint64_t predicates =
        counters_.scalar_predicates + counters_.two_comparison_predicates + counters_.lane_predicates;
    audit.balance(sm, "predicates of warps", predicates, counters_.dequeued_predicates);
}

std::string Dac::waiting_for() const {
    if (!launch_.decouples()) { return {}; }
    std::string phrase = affine_.waiting_for();
    const auto of_unit = [&](const char* name, const ExpansionUnit& unit) {
        if (unit.entries != 0) {
            phrase += fmt::format(", {}: {} tuples to expand{}", name, unit.entries,
                                  unit.stuck ? ", for warps that have no room or a barrier to pass" : "");
        }
    };
    of_unit("address unit", tuples_.address_unit());
    of_unit("predicate unit", tuples_.predicate_unit());
    phrase += address_unit_.wants_access() ? ", L1 has no room for its line" : "";
    return fmt::format("{}, {} tuples in the queue, {}", phrase, tuples_.size(), lines_.waiting_for());
}

void Dac::fields(StateArchive& archive) {
    affine_.run_fields(archive);
    archive& counters_;
    affine_.stream_fields(archive);
    // Between launches, and in launches that are not decoupled, the rest is empty.
    if (!state_.launch.active || !launch_.decouples()) { return; }
    archive& affine_& tuples_;
    address_unit_.accumulator_fields(archive);
    predicate_unit_.compared_fields(archive);
    archive& address_unit_& predicate_unit_& queues_& at_marker_& waiting_& waiting_since_& lines_;
}

}  // namespace lookahead::dac
