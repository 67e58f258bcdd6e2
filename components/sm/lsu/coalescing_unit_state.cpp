// The edges of kernels and CTAs, and the state to audit, hash, save and load.
#include "components/sm/lsu/coalescing_unit.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {

void CoalescingUnit::begin_kernel() {
    LOOKAHEAD_ASSERT(drained(), name_ + ": a kernel begins while " + waiting_for());
    arbiter_.begin_kernel();
    l1_.begin_kernel();
    if (companion_ != nullptr) {
        companion_->begin_kernel();
    }
    texture_.begin_kernel();
}

void CoalescingUnit::begin_launch(const LaunchOnSm& launch) {
    l1_.leave_to_shared_memory(launch.shared_bytes);
    if (companion_ != nullptr) {
        companion_->begin_launch((launch.kernel.local_bytes + 3) / 4);
    }
    if (prefetches_ != nullptr) {
        prefetches_->begin_launch(launch);
    }
}

void CoalescingUnit::cta_started(unsigned slot, std::uint64_t cta) {
    if (prefetches_ != nullptr) {
        prefetches_->cta_started(slot, cta);
    }
}

void CoalescingUnit::cta_ended(unsigned slot) {
    if (prefetches_ != nullptr) {
        prefetches_->cta_ended(slot);
    }
}

void CoalescingUnit::end_launch() {
    arbiter_.end_launch();
    flushing_ = companion_ != nullptr;
    if (prefetches_ != nullptr) {
        prefetches_->end_launch();
    }
}

bool CoalescingUnit::drained() const {
    return queue_.empty() && texture_.idle() && loads_.empty() && order_.stores() == 0 && completions_.empty() &&
           l1_.drained() && arbiter_.drained() && memory_->drained() && !flushing_;
}

std::string CoalescingUnit::waiting_for() const {
    if (drained()) {
        return "nothing";
    }
    return "the load/store unit has " + std::to_string(queue_.size()) + " instructions to perform, " +
           std::to_string(l1_.fills_under_way()) + " fills under way, " + std::to_string(order_.stores()) +
           " stores to be acknowledged, " + texture_.waiting_for() + " and " + std::to_string(arbiter_.l1_requests()) +
           " requests to send";
}

void CoalescingUnit::audit(Audit& audit, std::uint32_t requester) const {
    arbiter_.audit(audit, name_);
    if (!drained()) {
        audit.fault(name_, waiting_for());
    }
    order_.audit(audit, name_);
    texture_.audit(audit);
    l1_.audit(audit, name_);
    if (companion_ != nullptr) {
        companion_->audit(audit, name_);
    }
    if (prefetches_ != nullptr) {
        prefetches_->audit(audit);
    }
    memory_->audit(audit, requester);
}

void CoalescingUnit::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "lsu", counters_);
    visit(visitor, name_, "l1d", l1_.counters());
    if (companion_ != nullptr) {
        companion_->visit_statistics(visitor, name_);
    }
    arbiter_.visit_statistics(visitor, name_);
    texture_.visit_statistics(visitor);
    if (prefetches_ != nullptr) {
        prefetches_->visit_statistics(visitor);
    }
    memory_->visit_statistics(visitor);
}

void CoalescingUnit::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    archive& l1_& shared_& allocations_;
    if (companion_ != nullptr) {
        archive& flushing_&* companion_;
    }
    arbiter_.path_fields(archive);
    queue_.fields(archive, code);
    archive& head_.started& head_.blocked& head_.cause& head_.load& head_.blocked_since& head_.banks_until;
    if (!queue_.empty() && isa::lane_bytes(*queue_.front().memory.instruction) > kSectorBytes) {
        archive& head_.lower_halves;
    }
    const bool by_elements = !queue_.empty() && queue_.front().memory.elements > 1;
    elements_.fields(archive, by_elements ? &queue_.front().memory : nullptr, allocations_);
    if (by_elements) {
        archive& head_.first_load;
    }
    loads_.fields(archive, code);
    order_.fields(archive, code);
    archive& arbiter_& completions_& counters_& samples_& accessed_& prefetch_blocked_;
    texture_.fields(archive, code);
    if (prefetches_ != nullptr) {
        archive&* prefetches_;
    }
    if (client_ != nullptr) {
        archive& client_blocked_;
    }
    memory_->fields(archive);
}

}  // namespace lookahead::gpu
