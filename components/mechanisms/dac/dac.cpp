// The launch, its CTAs and the affine warp's runs.
#include "components/mechanisms/dac/dac.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "components/mechanisms/dac/plan.h"
#include "components/mechanisms/dac/streams.h"
#include "core/error/error.h"

namespace lookahead::dac {

using gpu::IssueExtension;

namespace {

gpu::IssuePriority priority_of(const std::string& name) {
    return name == "above"    ? gpu::IssuePriority::above
           : name == "beside" ? gpu::IssuePriority::beside
                              : gpu::IssuePriority::below;
}

ExpansionOrder order_of(const std::string& name) {
    return name == "tuple" ? ExpansionOrder::tuple : name == "cta" ? ExpansionOrder::cta : ExpansionOrder::warp;
}

Batch batch_of(const std::string& name) {
    return name == "drain" ? Batch::drain : name == "rolling" ? Batch::rolling : Batch::patient;
}

/// The affine warp is one of the first scheduler's.
std::vector<ContextMask> first_scheduler(unsigned schedulers) {
    std::vector<ContextMask> masks(schedulers, ContextMask{});
    masks[0] = gpu::context_bit(0);
    return masks;
}

void require_entries(std::int64_t entries, const char* name, unsigned warps) {
    if (entries < static_cast<std::int64_t>(warps)) {
        throw ConfigurationError("dac." + std::string(name) + " = " + std::to_string(entries) + " gives some of the " +
                                 std::to_string(warps) + " warps of an SM no queue; it must be " +
                                 std::to_string(warps) + " or more");
    }
}

}  // namespace

Dac::Dac(const DacParameters& parameters, const gpu::IssueExtensionArguments& arguments)
    : IssueExtension(arguments),
      parameters_(parameters),
      lane_priority_(priority_of(parameters.priority)),
      expansion_order_(order_of(parameters.expansion)),
      address_order_(parameters.address_order == "cta" ? AddressOrder::cta : AddressOrder::tuple),
      batch_(batch_of(parameters.batch)),
      issue_(arguments.issue),
      execute_(arguments.execute),
      memory_(arguments.memory),
      streams_(arguments, *this,
               {.count = 1,
                .priority = priority_of(parameters.priority),
                .of_scheduler = first_scheduler(arguments.issue.schedulers())}),
      lane_schedulers_(arguments.issue.schedulers(), gpu::context_bit(0)),
      atq_(static_cast<std::size_t>(parameters.atq_entries)),
      address_queues_(state_.warps.size()),
      predicate_queues_(state_.warps.size()),
      reports_(state_.warps.size()) {
    require_entries(parameters.pwaq_entries, "pwaq_entries", state_.warps.size());
    require_entries(parameters.pwpq_entries, "pwpq_entries", state_.warps.size());
    require_entries(parameters.report_entries, "report_entries", state_.warps.size());
    issue_.add_source(*this);
    memory_.subscribe(*this);
    memory_.join(*this);
}

LOOKAHEAD_REGISTER_VARIANT(
    IssueExtension, Dac, "dac",
    "Decoupled affine computation: one warp an SM computes addresses and predicates of all others.",
    "Wang and Lin, ISCA 2017")

void Dac::joined(gpu::L1Data& l1, const gpu::AllocationMap& allocations) {
    l1_ = &l1;
    allocations_ = &allocations;
    l1_->reserve_locks(static_cast<unsigned>(parameters_.pwaq_entries) + state_.warps.size() * 2 * isa::kWarpSize);
}

Cycle Dac::longest_delay() const {
    return gpu::ExtensionStreams::longest_delay(state_, state_.parameters.branch_latency + state_.warps.size());
}

// ---- Launches -------------------------------------------------------------------------------------------------------

void Dac::begin_launch() {
    const isa::Kernel& kernel = state_.kernel->kernel();
    launch_.kernel = &kernel;
    launch_.program = affine_program(kernel);
    launch_.block = state_.launch.fields.block;
    launch_.checked = parameters_.check;
    launch_.take_constants(state_.launch.constants);
    if (decouples() && state_.simt != isa::SimtModel::stack) {
        throw ConfigurationError(
            kernel.source_file + ": kernel " + kernel.name +
            " has an affine stream, for which sm.simt must be stack: the stream runs the paths of a warp in the order "
            "of a "
            "reconvergence stack, and so must the warps that dequeue; kernel.transform = none leaves the kernel whole");
    }
    streams_.begin_launch();
    name_pairs();
    all_bits_.assign(state_.kernel->scoreboard_words(), ~std::uint64_t{0});
    const gpu::Occupancy& occupancy = state_.launch.occupancy;
    const unsigned warps = occupancy.ctas * occupancy.warps_per_cta;
    for (unsigned context = 0; context < state_.warps.size(); ++context) {
        const bool used = decouples() && context < warps;
        address_queues_[context] = AddressQueue(used ? static_cast<unsigned>(parameters_.pwaq_entries) / warps : 0);
        predicate_queues_[context] = PredicateQueue(used ? static_cast<unsigned>(parameters_.pwpq_entries) / warps : 0);
        reports_[context] = PredicateQueue(used ? static_cast<unsigned>(parameters_.report_entries) / warps : 0);
    }
    ctas_.resize(occupancy.ctas);
    for (AffineCta& cta : ctas_) { cta.resume(launch_); }
    for (unsigned i = 0; i < atq_.capacity(); ++i) { atq_[i].tuples.resize(occupancy.ctas); }
    row_starts_.clear();
    for (unsigned warp = 0; warp < occupancy.warps_per_cta; ++warp) {
        row_starts_.push_back(row_starts(warp, launch_.block.x));
    }
    siblings_.clear();
    for (unsigned slot = 0; slot < occupancy.ctas; ++slot) {
        siblings_.push_back(gpu::context_range(slot * occupancy.warps_per_cta, occupancy.warps_per_cta));
    }
    std::iota(turns_.begin(), turns_.end(), std::uint8_t{0});
    served_ = fresh_ = 0;
    unserved_charged_ = state_.now;
}

/// What instructions of one stream have to do with those of the other: they have one origin.
void Dac::name_pairs() {
    const isa::Kernel& kernel = *launch_.kernel;
    takes_.assign(kernel.code.size(), 0);
    marker_.assign(kernel.code.size(), 0);
    pair_.assign(kernel.code.size(), 0);
    if (!decouples()) { return; }
    const auto is_marker = [](const isa::Instruction& instruction) {
        return instruction.operation == Operation::barrier || instruction.operation == Operation::membar;
    };
    for (std::uint32_t pc = 0; pc < kernel.own_size(); ++pc) {
        const isa::Instruction& own = kernel.code[pc];
        takes_[pc] = own.dequeues || own.operation == Operation::dequeue || is_report(own);
        // Loads and stores of its spilled operands have its origin, too.
        const bool stops = stops_expansion(own);
        for (std::uint32_t other = launch_.program->entry; other < launch_.program->end; ++other) {
            if (kernel.origins[other] != kernel.origins[pc]) { continue; }
            pair_[other] = takes_[pc] != 0 ? pc : pair_[other];
            marker_[pc] |= static_cast<std::uint8_t>(stops && is_marker(kernel.code[other]));
        }
    }
}

Threads Dac::of_slot(const SmThreads& threads, unsigned slot) const {
    const unsigned warps = state_.launch.occupancy.warps_per_cta;
    Threads of{};
    std::copy_n(threads.begin() + slot * warps, warps, of.begin());
    return of;
}

void Dac::to_slot(SmThreads& threads, unsigned slot, const Threads& of) const {
    const unsigned warps = state_.launch.occupancy.warps_per_cta;
    std::copy_n(of.begin(), warps, threads.begin() + slot * warps);
}

// ---- CTAs -----------------------------------------------------------------------------------------------------------

void Dac::warp_started(unsigned context) {
    attend(context, decouples());
    if (!decouples()) { return; }
    charge_unserved(state_.now);
    const unsigned slot = state_.warps.streams[context].cta_slot;
    LOOKAHEAD_ASSERT(
        address_queues_[context].empty() && predicate_queues_[context].empty() && reports_[context].empty(),
        "a warp starts with something in its queues");
    LOOKAHEAD_ASSERT(
        std::none_of(held_.begin(), held_.end(), [&](const Held& held) { return held.context == context; }),
        "a warp starts where another one's lines are locked");
    fresh_since_ = fresh_ == 0 ? state_.now : fresh_since_;
    fresh_ |= std::uint64_t{1} << slot;
    live_warps_[slot] = static_cast<std::uint8_t>(live_warps_[slot] + 1);
    last_start_ = state_.now;
    addresses_enqueued_[context] = predicates_enqueued_[context] = 0;
    addresses_dequeued_[context] = predicates_dequeued_[context] = 0;
    markers_enqueued_[context] = markers_passed_[context] = at_marker_[context] = 0;
    waiting_[context] = Wait::nothing;
}

void Dac::warp_exited(unsigned context) {
    if (!decouples()) { return; }
    bool empty = address_queues_[context].empty() && predicate_queues_[context].empty();
    atq_.for_each([&](const AtqEntry& entry) { empty &= !entry.pending.has(context); });
    LOOKAHEAD_ASSERT(empty, execute_.place_of(context) + ": the warp ends with something left to dequeue");
    // What it has reported last may be of its end.
    reports_[context].shrink(0);
    const unsigned slot = state_.warps.streams[context].cta_slot;
    const std::uint64_t bit = std::uint64_t{1} << slot;
    LOOKAHEAD_ASSERT(
        streams_.running() != 0 || (served_ & bit) == 0 || markers_passed_[context] <= markers_enqueued_[context],
        execute_.place_of(context) + ": the warp ends with more barriers passed than the affine warp");
    live_warps_[slot] = static_cast<std::uint8_t>(live_warps_[slot] - 1);
    if (streams_.running() != 0 && (served_ & bit) != 0) {
        stack_.drop(context);
        if (stack_.done()) {
            end_run();
        } else {
            streams_.go_to(kAffine, stack_.pc(), false);
        }
    }
    if (live_warps_[slot] == 0) {
        charge_unserved(state_.now);
        served_ &= ~bit;
        fresh_ &= ~bit;  // a CTA that dequeues nothing may end before it is served
    }
    renew_units();
}

void Dac::charge_unserved(Cycle now) {
    counters_.unserved_cycles +=
        static_cast<std::uint64_t>(now - unserved_charged_) * static_cast<unsigned>(std::popcount(fresh_));
    unserved_charged_ = now;
}

// ---- Runs of the affine warp ----------------------------------------------------------------------------------------

/// Under `patient` what is lost by waiting is at most what a run of its own costs those that come later, and the other
/// way round: neither is known before.
Cycle Dac::batch_due() const {
    const auto waiting = static_cast<unsigned>(std::popcount(fresh_));
    const unsigned places = state_.launch.occupancy.ctas;
    if (waiting == 0 || streams_.running() != 0) { return gpu::kNever; }
    const bool full = waiting + static_cast<unsigned>(std::popcount(served_)) == places;
    const Cycle gathered = full ? last_start_ : last_start_ + parameters_.gather_cycles;
    if (served_ == 0 || batch_ == Batch::rolling) { return gathered; }
    if (batch_ == Batch::drain) { return gpu::kNever; }
    return std::max(gathered, fresh_since_ + last_run_cycles_);
}

void Dac::start_batch(Cycle now) {
    charge_unserved(now);
    const gpu::Occupancy& occupancy = state_.launch.occupancy;
    ++counters_.runs;
    counters_.batch_ctas += static_cast<unsigned>(std::popcount(fresh_));
    ++generation_;
    run_since_ = now;
    SmThreads threads{};
    for (std::uint64_t left = fresh_; left != 0; left &= left - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(left));
        const auto end = turns_.begin() + occupancy.ctas;
        const auto turn = std::find(turns_.begin(), end, slot);
        std::rotate(turn, turn + 1, end);
        ctas_[slot].begin(launch_, execute_.ctaid(slot * occupancy.warps_per_cta));
        to_slot(threads, slot, ctas_[slot].all_threads());
        // Warps that have ended already need nothing.
        for (unsigned warp = 0; warp < occupancy.warps_per_cta; ++warp) {
            const unsigned context = slot * occupancy.warps_per_cta + warp;
            threads[context] &= state_.warps.states.live().has(context) ? isa::kFullMask : 0;
        }
    }
    served_ |= fresh_;
    fresh_ = 0;
    stack_.start(launch_.program->entry, threads);
    gpu::Stream& stream = streams_.start(kAffine);
    stream.start(isa::SimtModel::stack, isa::kFullMask, 0, 0);
    stream.stack.start(isa::SimtModel::stack, launch_.program->entry, isa::kFullMask);
    streams_.set().scoreboard.release(kAffine, all_bits_.data());
    // A context of its own: rows behind the warps', which only their banks matter of.
    const unsigned first = occupancy.ctas * occupancy.warps_per_cta * occupancy.rows_per_warp;
    for (unsigned number = 0; number < state_.kernel->first_predicate_bit(); ++number) {
        streams_.set().map.set(kAffine, number, static_cast<std::uint16_t>(first + number));
    }
    streams_.resume(kAffine);
}

void Dac::end_run() {
    note_affine_wait(Wait::nothing);
    last_run_cycles_ = state_.now - run_since_;
    fresh_since_ = state_.now;
    streams_.stop(kAffine);
    // Until the next run the stream's place is nobody's.
    ++generation_;
}

void Dac::begin_cycle(Cycle now) {
    if (!decouples()) { return; }
    if (came_ != 0) { note_lines_that_came(); }
    if (some_accessed_) { release_held(); }
    note_compared(now);
    if (batch_due() <= now) { start_batch(now); }
    expand_predicates(now);
    expand_addresses(now);
}

Cycle Dac::next_cycle(Cycle now) const {
    if (!decouples()) { return gpu::kNever; }
    if (came_ != 0 || some_accessed_) { return now + 1; }
    Cycle next = gpu::kNever;
    const auto after = [&](Cycle at) { next = std::min(next, std::max(now + 1, at)); };
    if (aeu_.entries != 0 && !aeu_.stuck && !expansion_.asks) { after(aeu_.free); }
    if (peu_.entries != 0 && !peu_.stuck && !lanes_wanted_) { after(peu_.free); }
    for (const Comparing& each : comparing_) { after(each.ready); }
    const Cycle due = batch_due();
    return due == gpu::kNever ? next : std::min(next, std::max(now + 1, due));
}

}  // namespace lookahead::dac
