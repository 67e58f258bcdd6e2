#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "components/device/driver_thread.h"
#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "components/isa/address_space.h"
#include "components/isa/kernel.h"
#include "components/isa/load_trace.h"
#include "components/memory_partition/address_mapping.h"
#include "core/lp/model.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

class PerfectMemory;
class StreamingMultiprocessor;

/// The greatest number of SMs, bounded by the numbers of in-ports (components/protocols/ports.h).
inline constexpr std::int64_t kMostSms = 1024;

struct MachineParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, sms, 15, {1, gpu::kMostSms, "SM"},
                        {.help = "Streaming multiprocessors.",
                         .source = "NVIDIA GTX 480 data sheet: 15 of Fermi's 16 SMs"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, memory_clock_ratio, 1, {1, 8, "cycle"},
        {.help = "Cycles of network and L2 slices per SM cycle: their clock is sm.frequency times this. Keys of "
                 "crossbar, mesh, input_queued and l2, and dram.fixed_latency, count these cycles.",
         .source = "GPGPU-Sim's GTX480 configuration: one clock for all. Kim et al., HPCA 2016: 1.4 GHz over 700 MHz"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, memory_bytes, std::int64_t{1536} << 20,
        {std::int64_t{1} << 20, static_cast<std::int64_t>(isa::kGlobalBytes), "byte"},
        {.help = "Device memory that `lookahead capture` gives a program. It takes host memory only once it is used.",
         .source = "NVIDIA GTX 480 data sheet: 1536 MB"});
    LOOKAHEAD_PARAMETER(
        bool, perfect_memory, false,
        {.help =
             "Every request that leaves an SM is answered at once: no network, L2 or DRAM. Runs in one process only.",
         .source = "for bounds; no machine has it"});
    LOOKAHEAD_ALL_DECLARED;
};

/// A GPU with its host as a graph of logical processes: the host, the CTA dispatcher, SMs "sm0".., memory partitions
/// "partition0"... With gpu.perfect_memory: the host, the dispatcher and one process "gpu" (FusedGpu). It owns the
/// constant data that the processes share, the kernels and the address mapping, and must outlive all processes made
/// from it.
class Machine {
  public:
    /// Reads all keys of the program (read_registered()). `configuration` must outlive the machine; `program` runs on
    /// the host; `find_loads` finds the program's loads by a functional run, for prefetchers that request them.
    Machine(const Configuration& configuration, isa::KernelTable kernels, DriverThread::Program program,
            isa::KnownLoads::Find find_loads = {});
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Model& model() const { return model_; }
    const isa::KernelTable& kernels() const { return kernels_; }
    /// The SMs' clock, in whose cycles kernels are timed.
    const ClockDomain& core_clock() const { return core_clock_; }
    LpId host() const { return host_; }
    LpId dispatcher() const { return dispatcher_; }
    /// SMs and partitions; none if they are fused.
    const std::vector<LpId>& sms() const { return sms_; }
    const std::vector<LpId>& partitions() const { return partitions_; }

    /// Makes a process of each kind, whose constructor checks that the values of its keys fit together. Throws
    /// ConfigurationError if they do not.
    void check_processes() const;
    /// Throws ConfigurationError if there are several ranks and the machine runs in one process only.
    void check_ranks(int ranks) const;

  private:
    void add_processes(DriverThread::Program program);
    void add_fused_gpu();
    void connect_fused_gpu();
    void connect_host();
    void connect_dispatcher();
    void connect_interconnect();
    /// The parameters of both ends of the network.
    CrossbarParameters port_parameters() const;
    std::unique_ptr<StreamingMultiprocessor> make_sm(unsigned index, PerfectMemory* perfect_memory = nullptr) const;
    std::unique_ptr<LogicalProcess> make_partition(unsigned index) const;

    const Configuration& configuration_;
    isa::KernelTable kernels_;
    isa::KnownLoads loads_;
    MachineParameters parameters_;
    AddressMapping mapping_;
    ClockDomain core_clock_;
    ClockDomain memory_clock_;  ///< of network and L2
    Model model_;
    LpId host_ = 0;
    LpId dispatcher_ = 0;
    LpId fused_gpu_ = 0;
    std::vector<LpId> sms_;
    std::vector<LpId> partitions_;
};

}  // namespace lookahead::gpu
