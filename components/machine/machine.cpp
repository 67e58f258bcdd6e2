#include "components/machine/machine.h"

#include <utility>

#include "components/device/cta_dispatcher.h"
#include "components/device/host_process.h"
#include "components/interconnect/topology.h"
#include "components/machine/fused_gpu.h"
#include "components/machine/perfect_memory.h"
#include "components/memory_partition/memory_partition.h"
#include "components/protocols/ports.h"
#include "components/sm/lsu/crossbar_memory_port.h"
#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "components/sm/parameters.h"
#include "core/component/registered_keys.h"
#include "core/component/slot.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(MachineParameters, "gpu", "The GPU as a whole.")

namespace {

constexpr Time kFemtosecondsPerNanosecond = 1'000'000;

static_assert(kMostSms <= kMaximumRequesters && kDispatcherSmPort + kMostSms <= kDispatcherHostPort &&
                  kFusedDispatchPort + kMostSms <= kFusedAllocationPort &&
                  kFusedAllocationPort + kMostSms <= kFusedHostPort,
              "an SM has its own in-port at every receiver");

/// Relative number of messages, for partitioners without measured ones; the interconnect has its own.
constexpr double kControlTraffic = 1;
/// Relative cost of simulating each kind of process.
constexpr double kSmWork = 10;
constexpr double kPartitionWork = 6;
constexpr double kControlWork = 0.1;

}  // namespace

Machine::Machine(const Configuration& configuration, isa::KernelTable kernels, DriverThread::Program program,
                 isa::KnownLoads::Find find_loads)
    : configuration_(configuration),
      kernels_(std::move(kernels)),
      loads_(std::move(find_loads)),
      parameters_(configuration_.read<MachineParameters>("gpu")),
      mapping_(configuration_.read<AddressMappingParameters>("address_mapping")),
      core_clock_(configuration_.read<SmParameters>("sm").frequency),
      memory_clock_(core_clock_.frequency_hz() * parameters_.memory_clock_ratio) {
    read_registered(configuration_);
    add_processes(std::move(program));
    if (parameters_.perfect_memory) {
        connect_fused_gpu();
        return;
    }
    connect_host();
    connect_dispatcher();
    connect_interconnect();
}

void Machine::check_processes() const {
    make_sm(0);
    make_partition(0);
}

void Machine::check_ranks(int ranks) const {
    if (parameters_.perfect_memory && ranks > 1) {
        throw ConfigurationError(
            "gpu.perfect_memory = true needs one process, since its latency is zero, but there are {} ranks; run it "
            "without mpirun",
            ranks);
    }
}

void Machine::add_processes(DriverThread::Program program) {
    const auto host = configuration_.read<HostParameters>("host");
    const auto dispatcher = configuration_.read<DispatcherParameters>("dispatcher");
    const auto limits = configuration_.read<SmParameters>("sm");
    const auto sms = static_cast<unsigned>(parameters_.sms);

    host_ = model_.add({"host", "host", kControlWork},
                       [=, this] { return std::make_unique<HostProcess>(host, mapping_, kernels_, sms, program); });
    dispatcher_ = model_.add({"dispatcher", "dispatcher", kControlWork}, [=, this] {
        return std::make_unique<CtaDispatcher>(dispatcher, core_clock_, kernels_, limits, sms);
    });
    if (parameters_.perfect_memory) {
        add_fused_gpu();
        return;
    }
    for (unsigned i = 0; i < sms; ++i) {
        sms_.push_back(model_.add({fmt::format("sm{}", i), "sm", kSmWork}, [=, this] { return make_sm(i); }));
    }
    for (unsigned i = 0; i < mapping_.channels(); ++i) {
        partitions_.push_back(model_.add({fmt::format("partition{}", i), "partition", kPartitionWork},
                                         [=, this] { return make_partition(i); }));
    }
}

void Machine::add_fused_gpu() {
    FusedGpu::Arguments arguments;
    arguments.mapping = configuration_.read<AddressMappingParameters>("address_mapping");
    arguments.frequency = core_clock_.frequency_hz();
    arguments.host_latency = configuration_.read<L2Parameters>("l2").host_latency;
    arguments.dispatch_lookahead =
        core_clock_.least_span(configuration_.read<DispatcherParameters>("dispatcher").latency);
    arguments.sms = static_cast<unsigned>(parameters_.sms);
    fused_gpu_ = model_.add({"gpu", "gpu", kSmWork * static_cast<double>(parameters_.sms)}, [=, this] {
        return std::make_unique<FusedGpu>(arguments,
                                          [this](unsigned sm, PerfectMemory& memory) { return make_sm(sm, &memory); });
    });
}

std::unique_ptr<StreamingMultiprocessor> Machine::make_sm(unsigned index, PerfectMemory* perfect_memory) const {
    const auto make_load_store_unit = [this, index, perfect_memory](const LoadStoreServices& services) {
        const std::string name =
            (perfect_memory != nullptr ? kFusedPrefix : "") + std::string("sm") + std::to_string(index);
        const CrossbarParameters crossbar = port_parameters();
        std::unique_ptr<MemoryPort> memory;
        if (perfect_memory != nullptr) {
            memory = std::make_unique<PerfectMemoryPort>(*perfect_memory);
        } else {
            memory = std::make_unique<CrossbarMemoryPort>(name, crossbar, memory_clock_, parameters_.memory_clock_ratio,
                                                          mapping_, services.requests, services.credits);
        }
        return make_chosen<LoadStoreUnit>(
            configuration_,
            LoadStoreArguments{name, configuration_, services.contexts, services.shared_bytes, services.registers,
                               services.listener, std::move(memory), &kernels_, &loads_, &services.constants});
    };
    return std::make_unique<StreamingMultiprocessor>(
        configuration_, kernels_, SmIdentity{index, static_cast<std::uint32_t>(parameters_.sms)}, make_load_store_unit);
}

std::unique_ptr<LogicalProcess> Machine::make_partition(unsigned index) const {
    MemoryPartitionArguments arguments;
    arguments.mapping = configuration_.read<AddressMappingParameters>("address_mapping");
    arguments.crossbar = port_parameters();
    arguments.l2 = configuration_.read<L2Parameters>("l2");
    arguments.dram = configuration_.read<DramParameters>("dram");
    arguments.dram_scheduler = chosen_variant<DramScheduler>(configuration_);
    arguments.frequency = memory_clock_.frequency_hz();
    arguments.requesters = static_cast<unsigned>(parameters_.sms);
    arguments.channel = index;
    return std::make_unique<MemoryPartition>(arguments, configuration_);
}

void Machine::connect_host() {
    const Time link = configuration_.read<HostParameters>("host").link_latency * kFemtosecondsPerNanosecond;
    const Time answer = memory_clock_.least_span(configuration_.read<L2Parameters>("l2").host_latency);
    for (unsigned i = 0; i < partitions_.size(); ++i) {
        model_.connect(host_, kHostToMemory, partitions_[i], kPartitionHostPort, link, kControlTraffic);
        model_.connect(partitions_[i], partition_host_out_port(mapping_.slices_per_channel()), host_,
                       static_cast<std::uint16_t>(kHostMemoryPort + i), answer, kControlTraffic);
        model_.answer_only(partitions_[i], kPartitionHostPort, partition_host_out_port(mapping_.slices_per_channel()));
    }
    model_.connect(host_, kHostToDispatcher, dispatcher_, kDispatcherHostPort, link, kControlTraffic);
    for (const LpId sm : sms_) { model_.connect(host_, kHostToSms, sm, kSmAllocationPort, link, kControlTraffic); }
}

void Machine::connect_dispatcher() {
    const Time latency = core_clock_.least_span(configuration_.read<DispatcherParameters>("dispatcher").latency);
    for (unsigned i = 0; i < sms_.size(); ++i) {
        model_.connect(dispatcher_, kDispatcherToSms, sms_[i], kSmDispatchPort, latency, kControlTraffic);
        model_.connect(sms_[i], kSmToDispatcher, dispatcher_, static_cast<std::uint16_t>(kDispatcherSmPort + i),
                       latency, kControlTraffic);
    }
    for (const LpId partition : partitions_) {
        model_.connect(dispatcher_, kDispatcherToMemory, partition, kPartitionDispatcherPort, latency, kControlTraffic);
    }
    model_.connect(dispatcher_, kDispatcherToHost, host_, kHostDispatcherPort, latency, kControlTraffic);
}

/// Adds the channels that host and dispatcher have in other machines, each to the in-port of the SM or channel.
void Machine::connect_fused_gpu() {
    const Time link = configuration_.read<HostParameters>("host").link_latency * kFemtosecondsPerNanosecond;
    const Time answer = core_clock_.least_span(configuration_.read<L2Parameters>("l2").host_latency);
    const Time latency = core_clock_.least_span(configuration_.read<DispatcherParameters>("dispatcher").latency);
    for (unsigned i = 0; i < mapping_.channels(); ++i) {
        model_.connect(host_, kHostToMemory, fused_gpu_, kFusedHostPort, link, kControlTraffic);
        model_.connect(fused_gpu_, kFusedToHost, host_, static_cast<std::uint16_t>(kHostMemoryPort + i), answer,
                       kControlTraffic);
    }
    model_.connect(host_, kHostToDispatcher, dispatcher_, kDispatcherHostPort, link, kControlTraffic);
    for (unsigned i = 0; i < static_cast<unsigned>(parameters_.sms); ++i) {
        const auto number = static_cast<std::uint16_t>(i);
        model_.connect(host_, kHostToSms, fused_gpu_, kFusedAllocationPort + number, link, kControlTraffic);
        model_.connect(dispatcher_, kDispatcherToSms, fused_gpu_, kFusedDispatchPort + number, latency,
                       kControlTraffic);
        model_.connect(fused_gpu_, kFusedToDispatcher, dispatcher_, kDispatcherSmPort + number, latency,
                       kControlTraffic);
    }
    model_.connect(dispatcher_, kDispatcherToHost, host_, kHostDispatcherPort, latency, kControlTraffic);
}

CrossbarParameters Machine::port_parameters() const {
    auto ports = configuration_.read<CrossbarParameters>("crossbar");
    ports.further_round_trip = make_chosen<InterconnectTopology>(configuration_)
                                   ->further_round_trip(static_cast<unsigned>(parameters_.sms), mapping_.slices());
    return ports;
}

void Machine::connect_interconnect() {
    make_chosen<InterconnectTopology>(configuration_)
        ->connect(model_, {.sms = sms_,
                           .partitions = partitions_,
                           .slices_per_partition = mapping_.slices_per_channel(),
                           .sm_requests = kSmRequests,
                           .sm_credits = kSmCredits,
                           .sm_reply_port = kSmReplyPort,
                           .clock = memory_clock_,
                           .ports = port_parameters()});
}

}  // namespace lookahead::gpu
