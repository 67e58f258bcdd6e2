#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/device/allocator.h"
#include "components/device/driver_thread.h"
#include "components/isa/kernel.h"
#include "components/memory_partition/address_mapping.h"
#include "components/protocols/host_memory.h"
#include "components/protocols/launch.h"
#include "core/lp/logical_process.h"
#include "core/message/byte_buffer.h"
#include "core/param/parameters.h"
#include "core/port/out_port.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct HostParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, link_latency, 500, {1, 1'000'000, "ns"},
                        {.help = "Latency of the link between host and device, each way.",
                         .source = "PCIe 2.0 round trips of about 1 us"});
    LOOKAHEAD_PARAMETER(std::int64_t, link_bandwidth, 8'000'000'000, {1'000'000, 1'000'000'000'000, "byte/s"},
                        {.help = "Bandwidth of copies between host and device.", .source = "PCIe 2.0 x16, 8 GB/s"});
    LOOKAHEAD_PARAMETER(
        bool, copy_fills_l2, false,
        {.help = "Copies to the device leave their data in L2, as GPGPU-Sim's -gpgpu_perf_sim_memcpy does.",
         .source = "GPGPU-Sim"});
    LOOKAHEAD_PARAMETER(bool, code_fills_l2, false,
                        {.help = "The kernels' code and the start of the constant bank, which holds the launches' "
                                 "parameters, are in L2 when the program begins.",
                         .source = "a choice: whether loading a module leaves its code in L2 is not published"});
    LOOKAHEAD_ALL_DECLARED;
};

struct HostCounters {
    LOOKAHEAD_COUNTER(calls, "call", "Calls of the host program on its device.");
    LOOKAHEAD_COUNTER(bytes_to_device, "byte", "Bytes copied or filled by the host.");
    LOOKAHEAD_COUNTER(bytes_from_device, "byte", "Bytes copied back to the host.");
    LOOKAHEAD_COUNTER(launches, "launch", "Kernels launched.");
    LOOKAHEAD_ALL_DECLARED;
};

/// One kernel launch of a run, as the host records it.
struct KernelRecord {
    std::string name;
    std::uint64_t launch = 0;
    isa::Dim3 grid, block;
    std::uint32_t registers = 0;
    std::uint32_t shared_bytes = 0;  ///< static and dynamic, of a CTA
    Time begin = 0;                  ///< when the dispatcher began it
    Time end = 0;                    ///< when the last SM had drained; 0: it still runs
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;

    void fields(StateArchive& archive) {
        archive& name& launch& grid.x& grid.y& grid.z& block.x& block.y& block.z& registers& shared_bytes& begin& end;
        archive& warp_instructions& thread_instructions;
    }
};

/// The host: runs a driver program against the simulated device, one blocking call after another. A kernel launch
/// returns when the kernel has completed.
///
/// Copies and fills go over the link in bursts. No process can read memory during a copy, and the driver observes only
/// its end, so a whole burst arrives with its last byte, each partition's share as a few long messages. If every few
/// bytes were a message with its own time, there would be as many windows, in which few processes have work.
///
/// The driver's stack cannot be saved, so the host keeps a log of every result that the driver was given; after a
/// restart from a checkpoint the driver first runs against the log and then continues with the simulation.
class HostProcess : public LogicalProcess {
  public:
    HostProcess(const HostParameters& parameters, const AddressMapping& mapping, const isa::KernelTable& kernels,
                unsigned sms, DriverThread::Program program);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override { return started_ ? next_burst_time_ : 0; }
    bool finished() const override { return started_ && call_ == nullptr; }
    std::string waiting_for() const override;
    void visit_statistics(StatisticsVisitor& visitor) const override { visit(visitor, name(), "host", counters_); }
    void fields(StateArchive& archive) override;

    const std::vector<KernelRecord>& kernels() const { return records_; }

  private:
    /// The result of one completed call.
    struct LogEntry {
        HostCall::Kind kind{};
        DeviceAddress allocated = 0;
        ByteBuffer data;

        void fields(StateArchive& archive) { archive& kind& allocated& data; }
    };

    void handle(const MessageHeader& message);
    /// Completes the current call and continues the driver until a call has to wait for the device.
    void complete_call();
    void take_next_call();
    /// The copies of the modules' variables come first, then the driver's calls; null after the last.
    HostCall* next_call();
    /// Sends the code and the start of the constant bank to L2.
    void load_code();
    HostCall* load_variable(const isa::ModuleVariable& variable);
    void begin_call();
    void begin_transfer(const char* what);
    void begin_launch();
    /// Puts the launch's parameters into memory, for a kernel that reads them by address; and removes them again.
    void place_parameters();
    void remove_parameters();
    /// Tells the SMs how the memory that they may access has changed.
    void announce_changes();
    /// Sends the next burst of the current copy or fill, each partition's share.
    void send_burst();
    std::uint64_t next_burst_bytes() const;
    /// `ask`: whether the last message asks for an answer.
    void send_writes(unsigned partition, std::uint64_t address, std::uint64_t bytes, Time arrival, bool ask);
    void receive(const HostReadReply& reply);
    Time link_latency() const;
    /// The time that `bytes` bytes take on the link.
    Time transfer_time(std::uint64_t bytes) const;
    void repeat_calls();

    HostParameters parameters_;
    AddressMapping mapping_;
    const isa::KernelTable& kernel_table_;
    unsigned sms_;
    DriverThread::Program program_;
    OutPort& to_memory_;
    OutPort& to_dispatcher_;
    OutPort& to_sms_;

    std::unique_ptr<DriverThread> driver_;
    HostCall* call_ = nullptr;  ///< the call in progress; owned by the driver's stack
    bool started_ = false;
    std::uint64_t loaded_variables_ = 0;  ///< variables of the modules copied so far, before the driver's calls
    HostCall load_;                       ///< the call that copies the last of these variables
    Time now_ = 0;
    std::uint64_t outstanding_ = 0;         ///< answers that the current call waits for
    std::uint64_t sent_bytes_ = 0;          ///< bytes of the current copy or fill that were sent
    Time link_free_ = 0;                    ///< when the last burst's last byte has left
    Time next_burst_time_ = kTimeInfinity;  ///< when the next burst is sent; infinity: none is left
    ByteBuffer received_;                   ///< data of the current copy_from_device; empty before the first reply
    std::uint32_t launches_ = 0;
    Allocator allocator_;
    std::vector<Allocator::Block> announced_;  ///< memory that the SMs may access, by address, as last announced
    std::vector<LogEntry> log_;
    std::vector<KernelRecord> records_;
    HostCounters counters_;
};

}  // namespace lookahead::gpu
