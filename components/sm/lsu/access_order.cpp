#include "components/sm/lsu/access_order.h"

#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

void AccessOrder::accept(std::uint16_t context) {
    ContextAccount& account = contexts_[context];
    LOOKAHEAD_ASSERT(account.fence == nullptr, "a memory instruction was issued past a fence of its own context");
    ++account.queued;
    ++accepted_;
}

void AccessOrder::accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now) {
    ContextAccount& account = contexts_[context];
    LOOKAHEAD_ASSERT(account.fence == nullptr, "a fence was issued past a fence of its own context");
    account.fence = &instruction;
    account.fence_ends = false;
    if (!lsu::leaves_sm(instruction)) {
        end_cta_fence_if_due(context, now);
        return;
    }
    behind_queue_.push() = {accepted_, context};
    close_fences();
    end_fences(now);
}

std::optional<LsuStall> AccessOrder::stall_of(const MemoryInstruction& memory) const {
    const isa::Instruction& instruction = *memory.instruction;
    if (LOOKAHEAD_RULE(acquire_holds_younger_accesses) && contexts_[memory.context].acquires != 0 && !memory.pre_load) {
        return LsuStall::acquire;
    }
    if (LOOKAHEAD_RULE(release_waits) && lsu::is_release(instruction) && lsu::leaves_sm(instruction) &&
        epochs_.total() != 0) {
        return LsuStall::release;
    }
    return std::nullopt;
}

/// Whether some accesses before the fence have not been performed.
bool AccessOrder::awaits_queue(const WaitingFence& fence) const {
    return fence.number > performed_ && LOOKAHEAD_RULE(fence_covers_queued_accesses);
}

bool AccessOrder::awaits_accesses(const WaitingFence& fence) const {
    return !epochs_.over(fence.number) && LOOKAHEAD_RULE(fence_waits_for_accesses);
}

void AccessOrder::audit(Audit& audit, const std::string& name) const {
    audit.balance(name, "memory instructions", accepted_, performed_);
    audit.leak(name, "accesses for which fences would wait", epochs_.total());
    for (const ContextAccount& account : contexts_) {
        audit.leak(name, "loads, acquires, fences or queued instructions of a warp that is gone",
                   account.queued + account.loads + account.acquires + (account.fence != nullptr ? 1u : 0u));
    }
}

void AccessOrder::ContextAccount::fields(StateArchive& archive, std::span<const isa::Instruction> code,
                                         bool counts_stores) {
    archive.optional_pointer_into(code, fence);
    archive& queued& loads& acquires& fence_ends;
    if (counts_stores) { archive& stores; }
}

void AccessOrder::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    for (ContextAccount& account : contexts_) { account.fields(archive, code, counts_stores_); }
    archive& epochs_;
    for (Ring<WaitingFence>* fences : {&behind_queue_, &behind_epochs_}) {
        fences->fields(archive, [&](WaitingFence& fence) { archive& fence; });
    }
    archive& accepted_& performed_& stores_;
}

}  // namespace lookahead::gpu
