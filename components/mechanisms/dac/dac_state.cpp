// State, auditing, statistics.
#include <fmt/format.h>

#include <string>

#include "components/mechanisms/dac/dac.h"
#include "core/lp/audit.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::dac {

LOOKAHEAD_REGISTER_STATISTICS(DacCounters, "dac", "Decoupled affine computation on an SM.")

void Dac::audit(Audit& audit, const std::string& sm) const {
    streams_.audit(audit, sm, "affine warps");
    audit.leak(sm, "affine tuples that were not expanded", atq_.size());
    audit.leak(sm, "lines that are locked for loads", locks_);
    audit.leak(sm, "lines that are awaited for loads", awaited_.size());
    audit.leak(sm, "comparisons on the lanes that have not ended", comparing_.size());
    for (const AddressQueue& queue : address_queues_) {
        audit.leak(sm, "addresses that were not dequeued", queue.used());
    }
    for (const PredicateQueue& queue : predicate_queues_) {
        audit.leak(sm, "predicates that were not dequeued", queue.size());
    }
    for (const PredicateQueue& queue : reports_) { audit.leak(sm, "reports that were not taken", queue.size()); }
    const std::uint64_t predicates =
        counters_.scalar_predicates + counters_.two_comparison_predicates + counters_.lane_predicates;
    audit.balance(sm, "predicates of warps", predicates, counters_.dequeued_predicates);
}

std::string Dac::waiting_for() const {
    if (!decouples()) { return {}; }
    std::string phrase;
    if (streams_.running() == 0) {
        phrase = fresh_ == 0 ? "affine warp: has served all CTAs" : "affine warp: CTAs wait for its next run";
    } else {
        const isa::Instruction& instruction = state_.kernel->kernel().code[stack_.pc()];
        phrase = fmt::format("affine warp: PC {:#x} (PTX line {}), {}", stack_.pc() * isa::kInstructionBytes,
                             instruction.line,
                             waits_for_ == Wait::entry    ? "the tuple queue is full"
                             : waits_for_ == Wait::lines  ? "a predicate queue is full"
                             : waits_for_ == Wait::report ? "some warp has not reported its branch"
                                                          : "is not done");
    }
    const auto of_unit = [&](const char* name, const Unit& unit) {
        if (unit.entries != 0) {
            phrase += fmt::format(", {}: {} tuples to expand{}", name, unit.entries,
                                  unit.stuck ? ", for warps that have no room or a barrier to pass" : "");
        }
    };
    of_unit("address unit", aeu_);
    of_unit("predicate unit", peu_);
    if (expansion_.asks) { phrase += ", L1 has no room for its line"; }
    return fmt::format("{}, {} tuples in the queue, {} lines awaited, {} locked", phrase, atq_.size(), awaited_.size(),
                       locks_);
}

void Dac::visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const {
    visit(visitor, sm, "dac", counters_);
}

void Dac::fields(StateArchive& archive) {
    archive& generation_& counters_;
    streams_.fields(archive);
    // Between launches, and in those of kernels that are not decoupled, all else is empty.
    if (!state_.launch.active || !decouples()) { return; }
    archive& ctas_& stack_& turns_& served_& fresh_& live_warps_& fresh_since_& run_since_& last_run_cycles_&
        last_start_& unserved_charged_& waits_since_& waits_for_;
    atq_.fields(archive, [&](AtqEntry& each) { archive& each; });
    archive& first_entry_& aeu_& peu_& accumulators_& compared_& expansion_& lanes_wanted_& comparing_;
    for (AddressQueue& queue : address_queues_) { archive& queue; }
    for (PredicateQueue& queue : reports_) {
        queue.fields(archive, [&](QueuedPredicate& each) { archive& each; });
    }
    for (PredicateQueue& queue : predicate_queues_) {
        queue.fields(archive, [&](QueuedPredicate& each) { archive& each; });
    }
    archive& addresses_enqueued_& predicates_enqueued_& addresses_dequeued_& predicates_dequeued_& markers_enqueued_&
        markers_passed_& at_marker_& waiting_& waiting_since_& held_& awaited_& came_& some_accessed_& locks_;
    if (archive.loading()) {
        oldest_address_ = {};
        for (AffineCta& cta : ctas_) { cta.resume(launch_); }
        if (lanes_wanted_) { lane_states_.set(0, gpu::ready_for((*state_.kernel)[entry(peu_).pc].unit)); }
    }
}

}  // namespace lookahead::dac
