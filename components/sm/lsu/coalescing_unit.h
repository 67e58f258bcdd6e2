#pragma once

#include <memory>
#include <string>

#include "components/sm/lsu/access_queue.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/load_store_unit.h"

namespace lookahead::gpu {

/// Variant "coalescing" of the load/store unit. Instructions wait in one queue and are performed in order. In each
/// cycle the oldest one makes one access to L1, for the line of its lowest remaining lane and all lanes in that line; a
/// load makes up to `coalescing.lines_per_cycle`. An access to shared memory holds the queue for the cycles of its bank
/// conflicts, a load of a .const variable for its passes through the constant cache. Misses do not hold the queue:
/// loads complete in any order.
///
/// The unit keeps every clause of the memory contract that L1 cannot keep by itself (components/cache/TRANSITIONS.md,
/// last table). It owns its parts, passes messages on to them, and decides in which order they work in a cycle.
class CoalescingUnit final : public LoadStoreUnit {
  public:
    using Parameters = CoalescingParameters;

    CoalescingUnit(const CoalescingParameters& parameters, LoadStoreArguments arguments);

    [[gnu::hot]] bool can_accept() const override { return queue_.can_accept() && texture_.can_accept(); }
    void accept(const MemoryInstruction& instruction, Cycle now) override;
    void accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now) override {
        ++counters_.fences;
        order_.accept_fence(context, instruction, now);
    }
    bool can_request_line() const override { return arbiter_.can_request_line(); }
    void request_line(std::uint64_t line, SectorMask sectors, std::uint32_t reader, Cycle now) override {
        arbiter_.request_line(line, sectors, reader, now);
    }
    void subscribe(L1Listener& listener) override { l1_.subscribe(listener); }
    void join(L1Client& client) override;
    void renew_clients() override { spare_.renew_clients(); }
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
    const PrefetchUnit* prefetches() const { return spare_.prefetches(); }
    const L1Companion* companion() const { return private_.companion(); }

  private:
    friend struct AuditSabotage;

    void wake() {
        queue_.wake();
        spare_.wake();
    }
    void take_reply(const MessageHeader& reply, Cycle now);
    void line_came(const ReadReply& reply, Cycle now);
    void send_request(Cycle now);
    void complete(std::uint32_t item, Cycle now);
    void complete_load(std::uint32_t load, Cycle now);
    void complete_element(std::uint32_t load, Cycle now);
    void end_load(const PendingLoad& load, Cycle now);
    void complete_fence(std::uint16_t context, Cycle now);

    std::string name_;
    Cycle fill_latency_;
    LoadStoreListener& listener_;
    std::unique_ptr<MemoryPort> memory_;
    L1Data l1_;
    SharedMemory shared_;
    AllocationMap allocations_;
    TextureUnit texture_;
    TimingWheel completions_;  // of loads, by entry, then of fences, by context
    LoadTable loads_;
    AccessOrder order_;
    LsuCounters counters_;
    AccessProfile profile_;
    MissSamples samples_;
    RequestArbiter arbiter_;
    PrivateMemory private_;
    ConstantLoads constants_;
    SpareAccesses spare_;
    AccessQueue queue_;
};

}  // namespace lookahead::gpu
