#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "components/isa/instruction.h"
#include "components/isa/instruction_form.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/lsu/lsu_counters.h"
#include "components/sm/timing_wheel.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu::lsu {

constexpr bool is_acquire(const isa::InstructionForm& instruction) {
    return instruction.order == isa::Order::acquire || instruction.order == isa::Order::acq_rel ||
           instruction.order == isa::Order::sc;
}
constexpr bool is_release(const isa::InstructionForm& instruction) {
    return instruction.order == isa::Order::release || instruction.order == isa::Order::acq_rel ||
           instruction.order == isa::Order::sc;
}
/// Whether the instruction's scope reaches beyond the SM: all scopes but cta.
constexpr bool leaves_sm(const isa::InstructionForm& instruction) {
    return instruction.scope != isa::Scope::cta;
}
constexpr bool has_result(const isa::InstructionForm& instruction) {
    return isa::is_load(instruction.operation) || instruction.operation == isa::Operation::atomic;
}

}  // namespace lookahead::gpu::lsu

namespace lookahead::gpu {

/// Counts the SM's memory accesses under way by the stretch between two fences (epoch) in which they were performed, so
/// that a fence can wait for all earlier accesses while others go on. An access carries its epoch's tag.
class AccessEpochs {
  public:
    /// At most `fences` fences may wait at once.
    explicit AccessEpochs(unsigned fences) : under_way_(std::bit_ceil(fences + 1)) {}

    /// The tag of accesses performed now; below 2^16.
    std::uint16_t current_tag() const { return tag_of(current_); }
    void begin(std::uint16_t tag) {
        ++under_way_[tag];
        ++total_;
    }
    void end(std::uint16_t tag) {
        --under_way_[tag];
        --total_;
        advance();
    }
    std::uint64_t total() const { return total_; }

    /// Ends the epoch; returns its number, for `over`.
    std::uint64_t close() {
        const std::uint64_t closed = current_++;
        advance();
        return closed;
    }
    /// Whether all accesses of that epoch and earlier ones are done.
    bool over(std::uint64_t epoch) const { return oldest_ > epoch; }

    void fields(StateArchive& archive) { archive& current_& oldest_& total_& under_way_; }

  private:
    std::uint16_t tag_of(std::uint64_t epoch) const {
        return static_cast<std::uint16_t>(epoch & (under_way_.size() - 1));
    }
    void advance() {
        while (oldest_ < current_ && under_way_[tag_of(oldest_)] == 0) { ++oldest_; }
    }

    std::uint64_t current_ = 0;
    std::uint64_t oldest_ = 0;  // the oldest epoch with accesses under way, or the current one
    std::uint64_t total_ = 0;
    std::vector<std::uint32_t> under_way_;  // by tag; for each closed epoch with accesses a fence waits
};

/// The order between memory instructions that L1 does not keep by itself. It counts the accesses under way of each
/// stream context and those before each fence, says what the oldest instruction must wait for, and when a fence ends.
///
/// A fence at scope cta waits for its own context only. Any other fence first waits until all instructions accepted
/// before it are performed, then until all their accesses have ended.
class AccessOrder {
  public:
    /// A fence that ends is put into `completions`, which must outlive this object, as `first_fence` + the number of
    /// its context. `counts_stores`: whether to count each context's stores.
    AccessOrder(unsigned contexts, bool counts_stores, TimingWheel& completions, std::uint32_t first_fence)
        : counts_stores_(counts_stores),
          completions_(completions),
          first_fence_(first_fence),
          contexts_(contexts),
          epochs_(contexts),
          behind_queue_(contexts),
          behind_epochs_(contexts) {}

    // ---- Instructions, from their acceptance to their last access

    void accept(std::uint16_t context);
    void accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now);
    /// What the instruction must wait for before its first access; nothing if it may begin.
    std::optional<LsuStall> stall_of(const MemoryInstruction& memory) const;
    void performed(std::uint16_t context, Cycle now) {
        --contexts_[context].queued;
        ++performed_;
        close_fences();
        end_fences(now);
        end_cta_fence_if_due(context, now);
    }
    /// Completes the context's fence; returns its instruction.
    const isa::Instruction& complete_fence(std::uint16_t context) {
        return *std::exchange(contexts_[context].fence, nullptr);
    }
    bool fences_wait() const { return !behind_queue_.empty() || !behind_epochs_.empty(); }

    // ---- Accesses

    /// The tag of the epoch of accesses performed now, for end_load.
    std::uint16_t epoch() const { return epochs_.current_tag(); }
    void begin_load(std::uint16_t context, bool acquire) {
        ContextAccount& account = contexts_[context];
        ++account.loads;
        account.acquires += acquire;
        epochs_.begin(epoch());
    }
    /// `tag`: the epoch in which the load began.
    void end_load(std::uint16_t context, bool acquire, std::uint16_t tag, Cycle now) {
        ContextAccount& account = contexts_[context];
        --account.loads;
        account.acquires -= acquire;
        end_access(tag, now);
        end_cta_fence_if_due(context, now);
    }
    /// The tag that comes back with a store's acknowledgement: the epoch and, if they are counted, the context.
    std::uint32_t store_tag(std::uint16_t context) const {
        return epoch() | (counts_stores_ ? (std::uint32_t{context} + 1) << 16 : 0);
    }
    void begin_store(std::uint16_t context) {
        ++stores_;
        contexts_[context].stores += counts_stores_;
        epochs_.begin(epoch());
    }
    void end_store(std::uint32_t tag, Cycle now) {
        --stores_;
        if (counts_stores_) { --contexts_[(tag >> 16) - 1].stores; }
        end_access(static_cast<std::uint16_t>(tag), now);
    }
    /// Written-back bytes of L1 belong to no context, and no fence waits for them.
    void begin_write_back() { ++stores_; }
    void end_write_back() { --stores_; }

    /// Stores, reductions and write-backs that are not acknowledged.
    std::uint64_t stores() const { return stores_; }
    bool counts_stores() const { return counts_stores_; }
    bool stores_under_way(unsigned context) const { return contexts_[context].queued + contexts_[context].stores != 0; }
    void audit(Audit& audit, const std::string& name) const;
    /// `code`: the kernel's, empty if none runs.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code);

  private:
    friend struct AuditSabotage;
    /// A stream context's instructions and accesses under way.
    struct ContextAccount {
        const isa::Instruction* fence = nullptr;  ///< until its completion
        std::uint32_t queued = 0;                 ///< accepted and not yet performed
        std::uint32_t loads = 0;                  ///< loads and atomics with a result, begun and not completed
        std::uint32_t acquires = 0;               ///< the acquires among these loads
        std::uint32_t stores = 0;                 ///< not acknowledged; counted if CTAs wait for them
        bool fence_ends = false;                  ///< the fence no longer waits for anything

        void fields(StateArchive& archive, std::span<const isa::Instruction> code, bool counts_stores);
    };
    struct WaitingFence {
        std::uint64_t number;  ///< of instructions, or of the epoch, for which it waits
        std::uint16_t context;

        void fields(StateArchive& archive) { archive& number& context; }
    };

    bool awaits_queue(const WaitingFence& fence) const;
    bool awaits_accesses(const WaitingFence& fence) const;
    /// Closes an epoch for each fence whose earlier instructions are performed; the fence waits for that epoch.
    void close_fences() {
        while (!behind_queue_.empty() && !awaits_queue(behind_queue_.front())) {
            behind_epochs_.push() = {epochs_.close(), behind_queue_.front().context};
            behind_queue_.pop();
        }
    }
    void end_fences(Cycle now) {
        while (!behind_epochs_.empty() && !awaits_accesses(behind_epochs_.front())) {
            end_fence(behind_epochs_.front().context, now);
            behind_epochs_.pop();
        }
    }
    void end_cta_fence_if_due(std::uint16_t context, Cycle now) {
        const ContextAccount& account = contexts_[context];
        if (account.fence != nullptr && !account.fence_ends && !lsu::leaves_sm(*account.fence) && account.queued == 0 &&
            account.loads == 0) {
            end_fence(context, now);
        }
    }
    void end_fence(std::uint16_t context, Cycle now) {
        contexts_[context].fence_ends = true;
        completions_.schedule(now, now + 1, first_fence_ + context);
    }
    void end_access(std::uint16_t tag, Cycle now) {
        epochs_.end(tag);
        end_fences(now);
    }

    bool counts_stores_;
    TimingWheel& completions_;
    std::uint32_t first_fence_;
    std::vector<ContextAccount> contexts_;
    AccessEpochs epochs_;
    Ring<WaitingFence> behind_queue_;   // until as many instructions as their number are performed
    Ring<WaitingFence> behind_epochs_;  // until the epoch of their number is over; both in order of acceptance
    std::uint64_t accepted_ = 0;
    std::uint64_t performed_ = 0;
    std::uint64_t stores_ = 0;
};

}  // namespace lookahead::gpu
