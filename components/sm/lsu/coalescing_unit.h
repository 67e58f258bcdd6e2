#pragma once

#include <array>
#include <memory>
#include <string>

#include "components/cache/l1_data.h"
#include "components/sm/constant/constant_cache.h"
#include "components/sm/lsu/access_order.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/coalescing_parameters.h"
#include "components/sm/lsu/element_sequence.h"
#include "components/sm/lsu/instruction_queue.h"
#include "components/sm/lsu/l1_client.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/lsu/load_table.h"
#include "components/sm/lsu/lsu_counters.h"
#include "components/sm/lsu/miss_samples.h"
#include "components/sm/lsu/request_arbiter.h"
#include "components/sm/lsu/shared_memory.h"
#include "components/sm/prefetch/prefetch_unit.h"
#include "components/sm/register_file.h"
#include "components/sm/texture/texture_unit.h"
#include "components/sm/timing_wheel.h"

namespace lookahead::gpu {

/// Variant "coalescing" of the load/store unit. Instructions wait in one queue and are performed in order. In a cycle
/// the oldest one makes one access to L1: the line of its lowest lane that is left, with all lanes that fall into that
/// line; a load makes up to `coalescing.lines_per_cycle`. An access to shared memory holds the queue for as many cycles
/// as its bank conflicts take, and a load of a .const variable for as many as it has passes through the constant cache.
/// Misses do not hold the queue: loads complete in any order.
///
/// Every clause of the memory contract that L1 cannot keep by itself is kept here (components/cache/TRANSITIONS.md,
/// last table). The definitions are in coalescing_unit*.cpp, by topic.
class CoalescingUnit final : public LoadStoreUnit {
  public:
    using Parameters = CoalescingParameters;

    CoalescingUnit(const CoalescingParameters& parameters, LoadStoreArguments arguments);

    [[gnu::hot]] bool can_accept() const override {
        return !queue_.full() && texture_.can_accept() && !elements_hold_unit();
    }
    void accept(const MemoryInstruction& instruction, Cycle now) override;
    void accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now) override;
    bool can_request_line() const override { return arbiter_.can_request_line(); }
    void request_line(std::uint64_t line, SectorMask sectors, std::uint32_t reader, Cycle now) override {
        arbiter_.request_line(line, sectors, reader, now);
    }
    void subscribe(L1Listener& listener) override { l1_.subscribe(listener); }
    void join(L1Client& client) override;
    void renew_client() override { client_blocked_ = false; }
    void receive(const MessageHeader& message, Cycle now) override;
    void cycle(Cycle now) override;
    Cycle next_event(Cycle now) const override;
    void begin_kernel() override;
    void begin_launch(const LaunchOnSm& launch) override;
    void cta_started(unsigned slot, std::uint64_t cta) override;
    void cta_ended(unsigned slot) override;
    void end_launch() override;
    bool drained() const override;
    bool delays_ctas() const override { return order_.counts_stores(); }
    bool stores_under_way(unsigned context) const override { return order_.stores_under_way(context); }
    std::string waiting_for() const override;
    LoadStoreOccupancy occupancy() const override {
        return {queue_.size(), l1_.fills_under_way(), arbiter_.l1_requests()};
    }
    const MissSamples* samples() const override { return &samples_; }
    void audit(Audit& audit, std::uint32_t requester) const override;
    void visit_statistics(StatisticsVisitor& visitor) const override;
    void fields(StateArchive& archive, std::span<const isa::Instruction> code) override;

    const LsuCounters& counters() const { return counters_; }
    L1Data& l1() { return l1_; }
    const PrefetchUnit* prefetches() const { return prefetches_.get(); }
    const L1Companion* companion() const { return companion_.get(); }

  private:
    friend struct AuditSabotage;

    static constexpr Cycle kNoBanks = -1;
    static constexpr Cycle kNotCharging = -1;

    /// The oldest instruction's progress.
    struct Head {
        bool started = false;
        bool blocked = false;                ///< until something changes: a reply, a completion, a request that left
        std::uint8_t cause = 0;              ///< of blocked: ReservationFailure, or kStall + LsuStall
        std::uint32_t load = 0;              ///< its entry in the load table
        Cycle blocked_since = kNotCharging;  ///< its last attempt that failed, not yet charged
        Cycle banks_until = kNoBanks;        ///< last cycle in which its accesses hold the banks of shared memory or L1
        std::uint32_t first_load = 0;        ///< the first element's entry in the load table
        isa::LaneMask lower_halves = 0;      ///< lanes of two sectors of which the first one is done
    };
    static constexpr std::uint8_t kStall = static_cast<std::uint8_t>(ReservationFailure::count);

    void take_replies(Cycle now);
    void take_reply(const MessageHeader& reply, Cycle now);
    void line_came(const ReadReply& reply, Cycle now);
    void serve_constant(std::uint32_t load, isa::LaneMask lanes);
    void complete(std::uint32_t item, Cycle now);
    void complete_load(std::uint32_t load, Cycle now);
    void complete_element(std::uint32_t load, Cycle now);
    void end_load(const PendingLoad& load, Cycle now);
    void complete_fence(std::uint16_t context, Cycle now);
    isa::LaneMask lanes_together(const QueuedInstruction& entry, isa::LaneMask lanes) const;

    void run_head(Cycle now);
    bool start_head(QueuedInstruction& entry, Cycle now);
    bool perform(QueuedInstruction& entry, Cycle now) {
        return entry.shared != 0         ? perform_shared(entry, now)
               : is_constant_load(entry) ? perform_constant(entry, now)
               : lines_per_cycle_ == 1   ? perform_global(entry, now)
                                         : perform_global_lines(entry, now);
    }
    void run_elements(QueuedInstruction& whole, Cycle now);
    /// The oldest instruction, or the element of it that is the current one.
    const QueuedInstruction& oldest_access() const {
        const QueuedInstruction& oldest = queue_.front();
        return oldest.memory.elements > 1 && elements_.begun() ? elements_.current() : oldest;
    }
    /// More elements of the youngest instruction are left than `coalescing.overlap`.
    bool elements_hold_unit() const {
        if (queue_.empty()) {
            return false;
        }
        const MemoryInstruction& youngest = queue_[queue_.size() - 1].memory;
        return youngest.elements > 1 && elements_.more_left(youngest, queue_.size() == 1, overlap_);
    }
    bool start_element(const QueuedInstruction& whole, Cycle now);
    void all_accessed(Cycle now);
    void leave_queue(Cycle now);
    bool perform_shared(QueuedInstruction& entry, Cycle now);
    /// Whether the constant cache serves it. Generic addresses have no window for .const variables: they go to L1D.
    bool is_constant_load(const QueuedInstruction& entry) const {
        return constants_ != nullptr && entry.memory.instruction->space == isa::Space::constant;
    }
    bool perform_constant(QueuedInstruction& entry, Cycle now);
    bool perform_global(QueuedInstruction& entry, Cycle now);
    bool perform_global_lines(QueuedInstruction& entry, Cycle now);
    bool pre_load_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    bool load_sectors(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now,
                      std::uint32_t flags = 0);
    bool load_halves(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    bool goes_to_l2(const isa::Instruction& instruction, std::uint64_t line) const;
    SectorMask sectors_to_load(const isa::Instruction& instruction, std::uint64_t line, SectorMask sectors) const;
    bool load_line(QueuedInstruction& entry, std::uint64_t line, SectorMask sectors, const Waiter& waiter, Cycle now);
    bool store_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    bool store_in_l1(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now);
    // Private memory with a companion (coalescing_unit_companion.cpp).
    bool is_private(std::uint64_t line) const { return companion_ != nullptr && l1_.keeps_stores_to(line); }
    bool is_vector(const MemoryInstruction& memory, std::uint64_t line) const;
    bool load_private(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    isa::LaneMask load_from_companion(const L1Access& access, isa::LaneMask lanes, Cycle now);
    bool store_private(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now);
    void fill_private(const ReadReply& reply, Cycle now);
    bool atomic_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    void finish_head(const QueuedInstruction& entry, Cycle now);
    bool release_waits() const {
        return head_.blocked && head_.cause == kStall + static_cast<unsigned>(LsuStall::release);
    }
    bool may_prefetch() const { return !head_.blocked && (!prefetches_->only_when_idle() || queue_.empty()); }
    void run_prefetches(Cycle now);
    void send_requests(Cycle now);
    void block(std::uint8_t cause, Cycle now);
    void block(LsuStall stall, Cycle now) {
        block(static_cast<std::uint8_t>(kStall + static_cast<unsigned>(stall)), now);
    }
    void charge_block(Cycle now);
    void wake() {
        head_.blocked = false;
        prefetch_blocked_ = client_blocked_ = false;
    }
    bool client_may_access() const { return client_ != nullptr && !client_blocked_; }

    std::string name_;
    Cycle hit_latency_;
    Cycle fill_latency_;
    unsigned overlap_;
    unsigned lines_per_cycle_;
    LoadStoreListener& listener_;
    std::unique_ptr<MemoryPort> memory_;
    L1Data l1_;
    std::unique_ptr<L1Companion> companion_;  // null: there is none
    bool flushing_ = false;                   // the kernel has ended, the companion not
    SharedMemory shared_;
    AllocationMap allocations_;
    TextureUnit texture_;
    ConstantCache* constants_;  // null: there is none
    InstructionQueue queue_;
    Head head_;
    ElementSequence elements_;
    bool splits_atomics_;
    TimingWheel completions_;  // of loads, by entry, and behind them of fences, by context
    LoadTable loads_;
    AccessOrder order_;
    LsuCounters counters_;
    MissSamples samples_;
    RequestArbiter arbiter_;
    std::unique_ptr<PrefetchUnit> prefetches_;  // null: there is no prefetcher
    L1Client* client_ = nullptr;
    bool client_blocked_ = false;    // no room for its access until something changes
    Cycle accessed_ = 0;             // last cycle in which an instruction, or the client, accessed L1
    bool prefetch_blocked_ = false;  // no room for a prefetch until something changes
};

}  // namespace lookahead::gpu
