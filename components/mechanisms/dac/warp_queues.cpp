#include "components/mechanisms/dac/warp_queues.h"

#include <algorithm>

#include "core/error/error.h"
#include "core/lp/audit.h"

namespace lookahead::dac {

namespace {

void count(std::array<std::uint32_t, gpu::kMaximumContexts>& numbers, const SmThreads& threads) {
    for (unsigned context = 0; context < threads.size(); ++context) { numbers[context] += threads[context] != 0; }
}

}  // namespace

WarpQueues::WarpQueues(const DacParameters& parameters, unsigned contexts)
    : parameters_(parameters), addresses_(contexts), predicates_(contexts), reports_(contexts) {
    const auto require = [&](std::int64_t entries, const char* name) {
        if (entries < static_cast<std::int64_t>(contexts)) {
            throw ConfigurationError("dac.{} = {} gives some of the {} warps of an SM no queue; it must be {} or more",
                                     name, entries, contexts, contexts);
        }
    };
    require(parameters.pwaq_entries, "pwaq_entries");
    require(parameters.pwpq_entries, "pwpq_entries");
    require(parameters.report_entries, "report_entries");
}

void WarpQueues::begin_launch(unsigned warps) {
    warps_ = warps;
    for (unsigned context = 0; context < addresses_.size(); ++context) {
        const auto share = [&](std::int64_t entries) {
            return context < warps ? static_cast<unsigned>(entries) / warps : 0;
        };
        addresses_[context] = AddressQueue(share(parameters_.pwaq_entries));
        predicates_[context] = PredicateQueue(share(parameters_.pwpq_entries));
        reports_[context] = PredicateQueue(share(parameters_.report_entries));
    }
}

void WarpQueues::start(unsigned context) {
    LOOKAHEAD_ASSERT(empty(context) && reports_[context].empty(), "a warp starts with something in its queues");
    for (Numbers* numbers : {&addresses_enqueued_, &predicates_enqueued_, &addresses_dequeued_, &predicates_dequeued_,
                             &markers_enqueued_, &markers_passed_}) {
        (*numbers)[context] = 0;
    }
}

bool WarpQueues::some_predicates_full() const {
    return std::any_of(predicates_.begin(), predicates_.begin() + warps_,
                       [](const PredicateQueue& queue) { return queue.full(); });
}

bool WarpQueues::all_have_reported(const SmThreads& threads) const {
    for (unsigned context = 0; context < reports_.size(); ++context) {
        if (threads[context] != 0 && reports_[context].empty()) { return false; }
    }
    return true;
}

void WarpQueues::number(AtqEntry& entry) {
    Numbers& enqueued = entry.of_predicate() ? predicates_enqueued_ : addresses_enqueued_;
    entry.sequence = enqueued;
    count(enqueued, entry.active);
    entry.markers = markers_enqueued_;
}

void WarpQueues::enqueue_marker(const SmThreads& threads) {
    count(markers_enqueued_, threads);
}

void WarpQueues::audit(Audit& audit, const std::string& sm) const {
    for (unsigned context = 0; context < addresses_.size(); ++context) {
        audit.leak(sm, "addresses that were not dequeued", addresses_[context].used());
        audit.leak(sm, "predicates that were not dequeued", predicates_[context].size());
        audit.leak(sm, "reports that were not taken", reports_[context].size());
    }
}

void WarpQueues::fields(StateArchive& archive) {
    const auto each = [&](QueuedPredicate& entry) { archive& entry; };
    for (AddressQueue& queue : addresses_) { archive& queue; }
    for (PredicateQueue& queue : reports_) { queue.fields(archive, each); }
    for (PredicateQueue& queue : predicates_) { queue.fields(archive, each); }
    archive& addresses_enqueued_& predicates_enqueued_& addresses_dequeued_& predicates_dequeued_& markers_enqueued_&
        markers_passed_;
}

}  // namespace lookahead::dac
