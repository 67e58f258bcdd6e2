#pragma once

// Definitions of BasicCoalescingUnit: the edges of kernels and CTAs, and its state to audit, hash, save and load.

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>

#include "components/sm/lsu/coalescing_unit.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {

template <class Contract>
void BasicCoalescingUnit<Contract>::begin_kernel() {
    LOOKAHEAD_ASSERT(drained(), name_ + ": a kernel begins while " + waiting_for());
    l1_.begin_kernel();
    texture_.begin_kernel();
}

template <class Contract>
void BasicCoalescingUnit<Contract>::begin_launch(const LaunchOnSm& launch) {
    if (prefetches_ != nullptr) {
        prefetches_->begin_launch(launch);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::cta_started(unsigned slot, std::uint64_t cta) {
    if (prefetches_ != nullptr) {
        prefetches_->cta_started(slot, cta);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::cta_ended(unsigned slot) {
    if (prefetches_ != nullptr) {
        prefetches_->cta_ended(slot);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::end_launch() {
    if (prefetches_ != nullptr) {
        prefetches_->end_launch();
    }
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::drained() const {
    return queue_.empty() && texture_.idle() && loads_.empty() && stores_ == 0 && completions_.empty() &&
           l1_.drained() && lines_.idle() && memory_->drained();
}

template <class Contract>
std::string BasicCoalescingUnit<Contract>::waiting_for() const {
    if (drained()) {
        return "nothing";
    }
    return "the load/store unit has " + std::to_string(queue_.size()) + " instructions to perform, " +
           std::to_string(l1_.fills_under_way()) + " fills under way, " + std::to_string(stores_) +
           " stores to be acknowledged, " + texture_.waiting_for() + " and " + std::to_string(l1_.miss_queue().size()) +
           " requests to send";
}

template <class Contract>
void BasicCoalescingUnit<Contract>::audit(Audit& audit, std::uint32_t requester) const {
    audit.balance(name_, "line reads", traffic_.reads, traffic_.read_replies);
    audit.balance(name_, "stores and reductions", traffic_.writes, traffic_.acknowledgements);
    audit.balance(name_, "atomics", traffic_.atomics, traffic_.atomic_replies);
    audit.account("line reads", static_cast<std::int64_t>(traffic_.reads));
    audit.account("stores and reductions", static_cast<std::int64_t>(traffic_.writes));
    audit.account("atomics", static_cast<std::int64_t>(traffic_.atomics));
    audit.account("written bytes", static_cast<std::int64_t>(traffic_.written_bytes));
    if (!drained()) {
        audit.fault(name_, waiting_for());
    }
    audit.balance(name_, "memory instructions", accepted_, performed_);
    audit.leak(name_, "accesses for which fences would wait", epochs_.total());
    for (std::size_t context = 0; context < contexts_.size(); ++context) {
        const ContextAccount& account = contexts_[context];
        audit.leak(name_, "loads, acquires, fences or queued instructions of a warp that is gone",
                   account.queued + account.loads + account.acquires + (account.fence != nullptr ? 1u : 0u));
    }
    texture_.audit(audit);
    l1_.audit(audit, name_);
    if (prefetches_ != nullptr) {
        prefetches_->audit(audit);
    }
    memory_->audit(audit, requester);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::hash_state(StateHasher& hasher) const {
    l1_.hash_state(hasher);
    shared_.hash_state(hasher);
    allocations_.hash_state(hasher);
    texture_.hash_state(hasher);
    hasher.add(texture_first_);
    queue_.hash_state(hasher);
    hasher.add(std::uint64_t{head_.started} << 16 | std::uint64_t{head_.blocked} << 8 | head_.cause);
    hasher.add(head_.load);
    hasher.add(static_cast<std::uint64_t>(head_.blocked_since));
    hasher.add(static_cast<std::uint64_t>(head_.shared_until));
    loads_.hash_state(hasher);
    contexts_.hash_state(hasher);
    epochs_.hash_state(hasher);
    fences_behind_queue_.hash_state(hasher);
    fences_behind_epochs_.hash_state(hasher);
    hasher.add(accepted_);
    hasher.add(performed_);
    hasher.add(stores_);
    hasher.add_bytes(&traffic_, sizeof traffic_);
    lines_.hash_state(hasher);
    completions_.hash_state(hasher);
    hash(hasher, counters_);
    samples_.hash_state(hasher);
    if (prefetches_ != nullptr) {
        hasher.add(prefetch_blocked_);
        prefetches_->hash_state(hasher);
    }
    memory_->hash_state(hasher);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "lsu", counters_);
    visit(visitor, name_, "l1d", l1_.counters());
    texture_.visit_statistics(visitor);
    if (prefetches_ != nullptr) {
        prefetches_->visit_statistics(visitor);
    }
    memory_->visit_statistics(visitor);
}

/// All state but L1, instructions in flight and the memory port.
template <class Contract>
template <class Archive>
void BasicCoalescingUnit<Contract>::exchange(Archive& archive) {
    shared_.serialize(archive, 0);
    allocations_.serialize(archive, 0);
    queue_.serialize(archive, 0);
    archive& head_.started& head_.blocked& head_.cause& head_.load& head_.blocked_since& head_.shared_until;
    loads_.serialize(archive, 0);
    contexts_.serialize(archive, 0);
    epochs_.serialize(archive, 0);
    fences_behind_queue_.serialize(archive, 0);
    fences_behind_epochs_.serialize(archive, 0);
    archive& accepted_& performed_& stores_& texture_first_;
    archive& traffic_.reads& traffic_.read_replies& traffic_.writes& traffic_.acknowledgements& traffic_
        .atomics& traffic_.atomic_replies& traffic_.written_bytes;
    lines_.serialize(archive, 0);
    completions_.serialize(archive, 0);
    serialize_counters(archive, counters_);
    samples_.serialize(archive, 0);
    archive& accessed_& prefetch_blocked_;
}

template <class Contract>
template <class F>
void BasicCoalescingUnit<Contract>::for_each_instruction_pointer(F&& f) {
    queue_.for_each([&](QueuedInstruction& each) { f(each.memory.instruction); });
    for (std::uint32_t load = 0; load < loads_.size(); ++load) {
        f(loads_[load].instruction);
    }
    for (std::size_t context = 0; context < contexts_.size(); ++context) {
        f(contexts_[context].fence);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::save(boost::archive::binary_oarchive& archive, const isa::Instruction* code) const {
    auto& self = const_cast<BasicCoalescingUnit&>(*this);  // Boost's operator& serves both ways; here it only reads
    l1_.save(archive);
    self.exchange(archive);
    self.for_each_instruction_pointer([&](const isa::Instruction*& instruction) {
        const std::int64_t index = instruction == nullptr ? -1 : instruction - code;
        archive << index;
    });
    texture_.save(archive, code);
    if (prefetches_ != nullptr) {
        prefetches_->save(archive);
    }
    memory_->save(archive);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::load(boost::archive::binary_iarchive& archive, const isa::Instruction* code) {
    l1_.load_state(archive);
    exchange(archive);
    for_each_instruction_pointer([&](const isa::Instruction*& instruction) {
        std::int64_t index = 0;
        archive >> index;
        instruction = index < 0 ? nullptr : code + index;
    });
    texture_.load(archive, code);
    if (prefetches_ != nullptr) {
        prefetches_->load(archive);
    }
    memory_->load(archive);
}

}  // namespace lookahead::gpu
