// The edges of kernels and CTAs, and the state to audit, hash, save and load.
#include "components/sm/lsu/coalescing_unit.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {

void CoalescingUnit::begin_kernel() {
    LOOKAHEAD_ASSERT(drained(), name_ + ": a kernel begins while " + waiting_for());
    ended_ = false;
    l1_.begin_kernel();
    if (companion_ != nullptr) { companion_->begin_kernel(); }
    texture_.begin_kernel();
}

void CoalescingUnit::begin_launch(const LaunchOnSm& launch) {
    l1_.leave_to_shared_memory(launch.shared_bytes);
    if (companion_ != nullptr) { companion_->begin_launch((launch.kernel.local_bytes + 3) / 4); }
    if (prefetches_ != nullptr) { prefetches_->begin_launch(launch); }
}

void CoalescingUnit::cta_started(unsigned slot, std::uint64_t cta) {
    if (prefetches_ != nullptr) { prefetches_->cta_started(slot, cta); }
}

void CoalescingUnit::cta_ended(unsigned slot) {
    if (prefetches_ != nullptr) { prefetches_->cta_ended(slot); }
}

void CoalescingUnit::end_launch() {
    ended_ = true;
    flushing_ = companion_ != nullptr;
    if (prefetches_ != nullptr) { prefetches_->end_launch(); }
}

bool CoalescingUnit::drained() const {
    return queue_.empty() && texture_.idle() && loads_.empty() && stores_ == 0 && completions_.empty() &&
           l1_.drained() && lines_.idle() && memory_->drained() && !flushing_ &&
           (path_ == nullptr || path_->size() == 0);
}

std::string CoalescingUnit::waiting_for() const {
    if (drained()) { return "nothing"; }
    return "the load/store unit has " + std::to_string(queue_.size()) + " instructions to perform, " +
           std::to_string(l1_.fills_under_way()) + " fills under way, " + std::to_string(stores_) +
           " stores to be acknowledged, " + texture_.waiting_for() + " and " + std::to_string(requests_to_send()) +
           " requests to send";
}

void CoalescingUnit::audit(Audit& audit, std::uint32_t requester) const {
    audit.balance(name_, "line reads", traffic_.reads, traffic_.read_replies);
    audit.balance(name_, "stores and reductions", traffic_.writes, traffic_.acknowledgements);
    audit.balance(name_, "atomics", traffic_.atomics, traffic_.atomic_replies);
    audit.account("line reads", static_cast<std::int64_t>(traffic_.reads));
    audit.account("stores and reductions", static_cast<std::int64_t>(traffic_.writes));
    audit.account("atomics", static_cast<std::int64_t>(traffic_.atomics));
    audit.account("written bytes", static_cast<std::int64_t>(traffic_.written_bytes));
    if (!drained()) { audit.fault(name_, waiting_for()); }
    audit.balance(name_, "memory instructions", accepted_, performed_);
    audit.leak(name_, "accesses for which fences would wait", epochs_.total());
    for (std::size_t context = 0; context < contexts_.size(); ++context) {
        const ContextAccount& account = contexts_[context];
        audit.leak(name_, "loads, acquires, fences or queued instructions of a warp that is gone",
                   account.queued + account.loads + account.acquires + (account.fence != nullptr ? 1u : 0u));
    }
    texture_.audit(audit);
    l1_.audit(audit, name_);
    if (companion_ != nullptr) { companion_->audit(audit, name_); }
    if (path_ != nullptr) {
        audit.leak(name_, "requests between L1 and the network", path_->size());
        path_->audit(audit, name_);
    }
    if (prefetches_ != nullptr) { prefetches_->audit(audit); }
    memory_->audit(audit, requester);
}

void CoalescingUnit::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "lsu", counters_);
    visit(visitor, name_, "l1d", l1_.counters());
    if (companion_ != nullptr) { companion_->visit_statistics(visitor, name_); }
    if (path_ != nullptr) { path_->visit_statistics(visitor, name_); }
    texture_.visit_statistics(visitor);
    if (prefetches_ != nullptr) { prefetches_->visit_statistics(visitor); }
    memory_->visit_statistics(visitor);
}

void CoalescingUnit::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    archive& l1_& shared_& allocations_;
    if (companion_ != nullptr) { archive& flushing_&* companion_; }
    if (path_ != nullptr) { archive& ended_&* path_; }
    queue_.fields(archive, code);
    archive& head_.started& head_.blocked& head_.cause& head_.load& head_.blocked_since& head_.banks_until;
    if (!queue_.empty() && isa::lane_bytes(*queue_.front().memory.instruction) > kSectorBytes) {
        archive& head_.lower_halves;
    }
    const bool by_elements = !queue_.empty() && queue_.front().memory.elements > 1;
    elements_.fields(archive, by_elements ? &queue_.front().memory : nullptr, allocations_);
    if (by_elements) { archive& head_.first_load; }
    loads_.fields(archive, code);
    contexts_.fields(archive, code, counts_stores_);
    archive& epochs_& fences_behind_queue_& fences_behind_epochs_& accepted_& performed_& stores_& texture_first_;
    archive& traffic_.reads& traffic_.read_replies& traffic_.writes& traffic_.acknowledgements& traffic_
        .atomics& traffic_.atomic_replies& traffic_.written_bytes;
    archive& lines_& completions_& counters_& samples_& accessed_& prefetch_blocked_;
    texture_.fields(archive, code);
    if (prefetches_ != nullptr) { archive&* prefetches_; }
    if (client_ != nullptr) { archive& client_blocked_; }
    memory_->fields(archive);
}

}  // namespace lookahead::gpu
