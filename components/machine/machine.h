#pragma once

#include <cstdint>
#include <vector>

#include "components/device/driver_thread.h"
#include "components/isa/kernel.h"
#include "components/memory_partition/address_mapping.h"
#include "core/lp/model.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

struct MachineParameters {
    std::int64_t sms = 15;
};

/// A GPU with its host as a graph of logical processes: the host, the CTA dispatcher, SMs "sm0".., memory partitions
/// "partition0"... It owns what the processes share and never change, the kernels and the address mapping, and
/// outlives every process made from its model.
class Machine {
  public:
    /// Reads and checks every key of the machine, on every rank alike. `configuration` outlives the machine; `program`
    /// runs on the host.
    Machine(const Configuration& configuration, isa::KernelTable kernels, DriverThread::Program program);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Model& model() const { return model_; }
    const isa::KernelTable& kernels() const { return kernels_; }
    /// The SMs' clock, in whose cycles kernels are timed.
    const ClockDomain& core_clock() const { return core_clock_; }
    LpId host() const { return host_; }
    LpId dispatcher() const { return dispatcher_; }
    const std::vector<LpId>& sms() const { return sms_; }
    const std::vector<LpId>& partitions() const { return partitions_; }

  private:
    void add_processes(DriverThread::Program program);
    void connect_host();
    void connect_dispatcher();
    void connect_interconnect();
    std::unique_ptr<LogicalProcess> make_sm(unsigned index) const;
    std::unique_ptr<LogicalProcess> make_partition(unsigned index) const;

    const Configuration& configuration_;
    isa::KernelTable kernels_;
    MachineParameters parameters_;
    AddressMapping mapping_;
    ClockDomain core_clock_;
    Model model_;
    LpId host_ = 0;
    LpId dispatcher_ = 0;
    std::vector<LpId> sms_;
    std::vector<LpId> partitions_;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::MachineParameters> {
    using P = gpu::MachineParameters;
    inline static const auto list =
        parameter_list<P>(integer("sms", &P::sms,
                                  {.unit = "SM",
                                   .min = 1,
                                   .max = 256,
                                   .help = "Streaming multiprocessors.",
                                   .source = "NVIDIA GTX 480 data sheet: 15 of Fermi's 16 SMs"}));
};
