#include "experiments/capture/capture_machine.h"

#include <cstdio>

#include "components/dram/dram_parameters.h"
#include "components/machine/machine.h"
#include "components/memory_partition/address_mapping.h"
#include "components/memory_partition/l2_parameters.h"
#include "components/sm/parameters.h"
#include "experiments/run/program.h"

namespace lookahead {

namespace {
constexpr std::int64_t kLineBytes = 128;
constexpr std::int64_t kHertzPerKilohertz = 1000;

std::uint32_t narrow(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}
}  // namespace

CaptureMachine capture_machine(const std::string& name, const Configuration& configuration) {
    const auto sm = configuration.read<gpu::SmParameters>("sm");
    const auto dram = configuration.read<gpu::DramParameters>("dram");
    const auto mapping = configuration.read<gpu::AddressMappingParameters>("address_mapping");
    const auto l2 = configuration.read<gpu::L2Parameters>("l2");
    CaptureMachine machine;
    machine.limits = sm;
    machine.options = finaliser_options(configuration);
    cudart::DeviceInformation& device = machine.information;
    std::snprintf(device.name, sizeof device.name, "Lookahead %s", name.c_str());
    const auto gpu = configuration.read<gpu::MachineParameters>("gpu");
    device.multiprocessors = narrow(gpu.sms);
    device.memory_bytes = static_cast<std::uint64_t>(gpu.memory_bytes);
    device.clock_kilohertz = narrow(sm.frequency / kHertzPerKilohertz);
    device.memory_clock_kilohertz = narrow(dram.frequency * dram.data_rate / 2 / kHertzPerKilohertz);
    device.memory_bus_bits = narrow(mapping.channels * dram.pseudo_channels * dram.chips * dram.chip_bytes * 8);
    device.l2_bytes = narrow(mapping.channels * mapping.slices_per_channel * l2.sets * l2.ways * kLineBytes);
    device.shared_bytes_per_block = device.shared_bytes_per_multiprocessor = narrow(sm.shared_bytes);
    device.registers_per_multiprocessor = narrow(sm.registers);
    device.threads_per_multiprocessor = narrow(sm.max_threads);
    device.blocks_per_multiprocessor = narrow(sm.max_ctas);
    return machine;
}

}  // namespace lookahead
