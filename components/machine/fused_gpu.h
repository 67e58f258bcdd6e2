#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/machine/perfect_memory.h"
#include "components/memory_partition/address_mapping.h"
#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "core/lp/logical_process.h"
#include "core/port/message_router.h"
#include "core/state/state_archive.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// In-ports of a FusedGpu: messages for SM i come at base + i.
inline constexpr std::uint16_t kFusedDispatchPort = 0;
inline constexpr std::uint16_t kFusedAllocationPort = 0x4000;
inline constexpr std::uint16_t kFusedHostPort = 0xffff;
/// Out-ports of a FusedGpu, in the order in which it declares them.
inline constexpr unsigned kFusedToDispatcher = 0;  ///< one destination for each SM
inline constexpr unsigned kFusedToHost = 1;        ///< one destination for each channel of the address mapping

/// The prefix of the SMs' names: they are components of the process "gpu".
inline constexpr const char* kFusedPrefix = "gpu.";

/// All SMs and a PerfectMemory in one logical process, because no channel can have the latency of a perfect memory. The
/// SMs step together, cycle by cycle and in their order, and each sees the stores of those before it in the same cycle.
/// The SMs are those of any machine; their messages to the dispatcher are passed on.
class FusedGpu final : public LogicalProcess {
  public:
    struct Arguments {
        AddressMappingParameters mapping;  ///< by which the host splits its copies
        std::int64_t frequency;
        Cycle host_latency;  ///< cycles that an answer to the host takes
        Time dispatch_lookahead;
        unsigned sms;
    };
    /// Makes the SM of that number, whose load/store unit uses the memory.
    using MakeSm = std::function<std::unique_ptr<StreamingMultiprocessor>(unsigned, PerfectMemory&)>;

    FusedGpu(const Arguments& arguments, const MakeSm& make_sm);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override { return *std::min_element(next_times_.begin(), next_times_.end()); }
    bool finished() const override;
    std::string waiting_for() const override;
    void visit_statistics(StatisticsVisitor& visitor) const override;
    std::uint64_t progress() const override;
    void audit(Audit& audit) const override;
    void start_trace(const TraceWindow& window) override;
    void visit_trace(TraceVisitor& visitor) const override;
    void fields(StateArchive& archive) override;

  private:
    void receive_from_host(const MessageHeader& message);
    std::byte* answer_host(std::uint64_t address, MessageType type, std::size_t payload_bytes, Cycle now);
    void advance_sm(std::size_t sm, Time horizon);
    void pass_on();

    Arguments arguments_;
    AddressMapping mapping_;
    ClockDomain clock_;
    PerfectMemory memory_;
    MessageRouter router_;  ///< for the SMs' messages: all go to the dispatcher, whose index follows those of the SMs
    std::vector<std::unique_ptr<StreamingMultiprocessor>> sms_;
    std::vector<Time> next_times_;                            ///< of each SM
    std::vector<std::vector<const MessageHeader*>> inboxes_;  ///< of each SM, during advance
    OutPort& to_dispatcher_;
    OutPort& to_host_;
};

}  // namespace lookahead::gpu
