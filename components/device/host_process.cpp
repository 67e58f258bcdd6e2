#include "components/device/host_process.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "components/isa/address_space.h"
#include "components/isa/launch.h"
#include "components/protocols/send_launch.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(HostParameters, "host", "The host and its link to the device.")
LOOKAHEAD_REGISTER_STATISTICS(HostCounters, "host", "The host.")

namespace {

__extension__ using Wide = unsigned __int128;
constexpr Time kFemtosecondsPerNanosecond = 1'000'000;
constexpr std::uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

/// Bytes of a copy that go over the link at once. They fit into the host's second-level cache; a long copy has hundreds
/// of such bursts.
constexpr std::uint64_t kBurstBytes = 512 * 1024;

/// CUDA C++ Programming Guide, "__global__ function parameters", since CUDA 12.1.
constexpr std::uint32_t kMaxParameterBytes = 32'764;

void check_parameters(const isa::Kernel& kernel, std::uint32_t bytes) {
    const std::string what = fmt::format("launch of {}: got {} bytes of parameters, ", kernel.name, bytes);
    if (bytes != kernel.parameter_bytes) { throw ProgramError("{}the kernel takes {}", what, kernel.parameter_bytes); }
    if (bytes > kMaxParameterBytes) { throw ProgramError("{}at most {} are supported", what, kMaxParameterBytes); }
}

}  // namespace

HostProcess::HostProcess(const HostParameters& parameters, const AddressMapping& mapping,
                         const isa::KernelTable& kernels, unsigned sms, DriverThread::Program program)
    : parameters_(parameters),
      mapping_(mapping),
      kernel_table_(kernels),
      sms_(sms),
      program_(std::move(program)),
      to_memory_(add_out_port("memory")),
      to_dispatcher_(add_out_port("dispatcher")),
      to_sms_(add_out_port("sms")),
      driver_(std::make_unique<DriverThread>(program_, kernel_table_.image)),
      allocator_(kernels.reach) {}

void HostProcess::advance(Inbox inbox, Time horizon) {
    if (!started_) {
        started_ = true;
        for (const isa::ModuleVariable& variable : kernel_table_.image) {
            if (variable.bytes == 0) { continue; }
            allocator_.place(variable.address, variable.bytes);
        }
        announce_changes();
        if (parameters_.code_fills_l2) { load_code(); }
        take_next_call();
    }
    for (auto next = inbox.begin();;) {
        const Time arrival = next == inbox.end() ? horizon : (*next)->time;
        if (next_burst_time_ < arrival) {
            now_ = next_burst_time_;
            send_burst();
        } else if (next != inbox.end()) {
            now_ = arrival;
            handle(**next++);
        } else {
            return;
        }
    }
}

void HostProcess::handle(const MessageHeader& message) {
    switch (static_cast<GpuMessage>(message.type)) {
        case GpuMessage::host_acknowledge:
            break;
        case GpuMessage::host_read_reply: {
            const auto& reply = message.as<HostReadReply>();
            receive(reply);
            if (reply.is_last == 0) { return; }
            break;
        }
        case GpuMessage::kernel_completed: {
            const auto& completed = message.as<KernelCompleted>();
            KernelRecord& record = records_.back();
            record.begin = completed.begin;
            record.end = completed.end;
            record.warp_instructions = completed.warp_instructions;
            record.thread_instructions = completed.thread_instructions;
            remove_parameters();
            break;
        }
        default:
            LOOKAHEAD_ASSERT(false, "the host got a message of type {}", message.type);
    }
    LOOKAHEAD_ASSERT(outstanding_ > 0, "the host got an answer that it did not wait for");
    if (--outstanding_ == 0 && next_burst_time_ == kTimeInfinity) {
        complete_call();
        take_next_call();
    }
}

void HostProcess::complete_call() {
    if (call_ == &load_) { return; }
    if (call_->kind == HostCall::Kind::copy_from_device) {
        std::copy_n(received_.data(), received_.size(), call_->destination.begin());
    }
    call_->nanoseconds = now_ / kFemtosecondsPerNanosecond;
    log_.push_back({call_->kind, call_->allocated, std::exchange(received_, {})});
}

void HostProcess::take_next_call() {
    while ((call_ = next_call()) != nullptr) {
        if (call_->kind != HostCall::Kind::use_pages) { ++counters_.calls; }
        begin_call();
        if (outstanding_ > 0 || next_burst_time_ != kTimeInfinity) { return; }
        complete_call();
    }
}

HostCall* HostProcess::next_call() {
    while (loaded_variables_ < kernel_table_.image.size()) {
        const isa::ModuleVariable& variable = kernel_table_.image[loaded_variables_++];
        if (variable.has_initial_value) { return load_variable(variable); }
    }
    return driver_->resume();
}

HostCall* HostProcess::load_variable(const isa::ModuleVariable& variable) {
    load_ = {};
    load_.kind = variable.contents.empty() ? HostCall::Kind::fill : HostCall::Kind::copy_to_device;
    load_.address = variable.address;
    load_.bytes = variable.bytes;
    load_.source = variable.contents;
    return &load_;
}

void HostProcess::begin_call() {
    switch (call_->kind) {
        case HostCall::Kind::allocate:
            call_->allocated = allocator_.allocate(call_->bytes);
            announce_changes();
            break;
        case HostCall::Kind::release:
            allocator_.release(call_->address);
            announce_changes();
            break;
        case HostCall::Kind::use_pages:
            allocator_.use_pages();
            announce_changes();
            break;
        case HostCall::Kind::copy_to_device:
            counters_.bytes_to_device += call_->bytes;
            begin_transfer("copy to the device");
            break;
        case HostCall::Kind::copy_from_device:
            counters_.bytes_from_device += call_->bytes;
            begin_transfer("copy from the device");
            break;
        case HostCall::Kind::fill:
            counters_.bytes_to_device += call_->bytes;
            begin_transfer("fill");
            break;
        case HostCall::Kind::launch:
            begin_launch();
            break;
    }
}

void HostProcess::announce_changes() {
    std::vector<Allocator::Block> mapped = allocator_.mapped();
    const auto announce_difference = [this](const auto& from, const auto& less, bool released) {
        const auto by_address = [](const Allocator::Block& a, const Allocator::Block& b) {
            return std::pair(a.address, a.bytes) < std::pair(b.address, b.bytes);
        };
        std::vector<Allocator::Block> blocks;
        std::ranges::set_difference(from, less, std::back_inserter(blocks), by_address);
        for (const Allocator::Block& block : blocks) {
            for (unsigned sm = 0; sm < sms_; ++sm) {
                to_sms_.send(sm, now_, now_ + link_latency(), AllocationUpdate{block.address, block.bytes, released});
            }
        }
    };
    announce_difference(announced_, mapped, true);
    announce_difference(mapped, announced_, false);
    announced_ = std::move(mapped);
}

Time HostProcess::link_latency() const {
    return parameters_.link_latency * kFemtosecondsPerNanosecond;
}

Time HostProcess::transfer_time(std::uint64_t bytes) const {
    return static_cast<Time>(static_cast<Wide>(bytes) * kFemtosecondsPerSecond /
                             static_cast<std::uint64_t>(parameters_.link_bandwidth));
}

void HostProcess::begin_transfer(const char* what) {
    if (call_->bytes != 0 && !allocator_.contains(call_->address, call_->bytes)) {
        throw ProgramError("host program: {} of {} bytes at device address {:#x}, which is not inside an allocation",
                           what, call_->bytes, call_->address);
    }
    sent_bytes_ = 0;
    link_free_ = now_;
    next_burst_time_ = call_->bytes > 0 ? now_ : kTimeInfinity;
}

/// Only the last burst's writes and fills are answered, because it arrives after the others.
///
/// A burst follows the previous one on the link without a gap, but its messages are sent as late as possible: when the
/// previous burst arrives or, if the burst is short, when its own last byte leaves, the link's latency before it
/// arrives. So the host makes the next burst while the partitions take this one, in the same window.
///
/// The requests of a copy from the device leave at the pace at which the link brings their data. Those of a fill do
/// too, although its pattern is small, so that the device writes no faster than its host could.
void HostProcess::send_burst() {
    const std::uint64_t bytes = next_burst_bytes();
    link_free_ = link_free_ + transfer_time(bytes);
    const Time arrival = link_free_ + link_latency();
    const bool is_last = sent_bytes_ + bytes == call_->bytes;
    mapping_.for_each_share(
        call_->address + sent_bytes_, bytes, [&](unsigned partition, std::uint64_t address, std::uint64_t share) {
            const auto length = static_cast<std::uint32_t>(share);
            if (call_->kind == HostCall::Kind::copy_to_device) {
                send_writes(partition, address, share, arrival, is_last);
                outstanding_ += is_last;
            } else if (call_->kind == HostCall::Kind::copy_from_device) {
                to_memory_.send(partition, now_, arrival, HostRead{address, length, 0});
                ++outstanding_;
            } else {
                const auto value = std::to_integer<std::uint8_t>(call_->value);
                to_memory_.send(partition, now_, arrival, HostFill{address, length, value, is_last, 0, 0});
                outstanding_ += is_last;
            }
        });
    sent_bytes_ += bytes;
    next_burst_time_ = sent_bytes_ == call_->bytes
                           ? kTimeInfinity
                           : link_free_ + std::min(link_latency(), transfer_time(next_burst_bytes()));
}

void HostProcess::load_code() {
    constexpr std::uint64_t kParameterBytes = 4096;  // those of a launch, after the rows of its shape
    const auto load = [this](std::uint64_t begin, std::uint64_t bytes) {
        mapping_.for_each_share(begin, bytes, [&](unsigned partition, std::uint64_t address, std::uint64_t share) {
            to_memory_.send(partition, now_, now_ + link_latency(),
                            HostFill{address, static_cast<std::uint32_t>(share), 0, 0, 1, 0});
        });
    };
    load(isa::kCodeBase, isa::code_addresses(kernel_table_).back() - isa::kCodeBase);
    load(isa::kConstantBankBase, kParameterBytes);
}

std::uint64_t HostProcess::next_burst_bytes() const {
    return std::min<std::uint64_t>(call_->bytes - sent_bytes_, kBurstBytes);
}

void HostProcess::send_writes(unsigned partition, std::uint64_t address, std::uint64_t bytes, Time arrival, bool ask) {
    const std::uint64_t begin = mapping_.local_address(address);
    for_each_host_piece(begin, bytes, [&](std::uint64_t done, std::uint32_t piece) {
        std::byte* payload = to_memory_.reserve(partition, now_, arrival, HostWrite::kType, sizeof(HostWrite) + piece);
        const HostWrite write{.address = mapping_.address(partition, begin + done),
                              .bytes = piece,
                              .fill_l2 = parameters_.copy_fills_l2,
                              .asks = ask && done + piece == bytes,
                              .unused = {}};
        std::memcpy(payload, &write, sizeof write);
        mapping_.for_each_run(write.address, piece, [&](std::uint64_t at, std::uint64_t run, std::uint64_t before) {
            std::memcpy(payload + sizeof write + before, call_->source.data() + (at - call_->address), run);
        });
    });
}

void HostProcess::receive(const HostReadReply& reply) {
    if (received_.empty()) { received_ = call_->staging.get(); }
    const auto* bytes = reinterpret_cast<const std::byte*>(&reply + 1);
    mapping_.for_each_run(reply.address, reply.bytes, [&](std::uint64_t at, std::uint64_t run, std::uint64_t before) {
        std::memcpy(received_.data() + (at - call_->address), bytes + before, run);
    });
}

void HostProcess::begin_launch() {
    const auto kernel = std::ranges::find(kernel_table_, call_->kernel, &isa::Kernel::name);
    if (kernel == kernel_table_.end()) {
        throw ProgramError("host program: launch of kernel '{}', which no loaded module has", call_->kernel);
    }
    LaunchKernel launch{};
    launch.launch = launches_++;
    launch.kernel = static_cast<std::uint32_t>(kernel - kernel_table_.begin());
    launch.grid = call_->configuration.grid;
    launch.block = call_->configuration.block;
    launch.dynamic_shared_bytes = call_->configuration.dynamic_shared_bytes;
    launch.parameter_bytes = static_cast<std::uint32_t>(call_->source.size());
    isa::check_launch(*kernel, launch.grid, launch.block);
    check_parameters(*kernel, launch.parameter_bytes);

    records_.push_back({.name = kernel->name,
                        .launch = launch.launch,
                        .grid = launch.grid,
                        .block = launch.block,
                        .registers = kernel->registers_per_thread(),
                        .shared_bytes = kernel->static_shared_bytes + launch.dynamic_shared_bytes,
                        .begin = now_ + link_latency()});
    ++counters_.launches;

    if (kernel->addresses_parameters) { place_parameters(); }
    send_launch(to_dispatcher_, 0, now_, now_ + link_latency(), launch, call_->source);
    outstanding_ = 1;
}

/// The parameters arrive with the launch, before anything can read them.
void HostProcess::place_parameters() {
    call_->address = isa::kParameterBase;
    allocator_.place(isa::kParameterBase, call_->source.size());
    announce_changes();
    mapping_.for_each_share(isa::kParameterBase, call_->source.size(),
                            [&](unsigned partition, std::uint64_t address, std::uint64_t share) {
                                send_writes(partition, address, share, now_ + link_latency(), false);
                            });
}

void HostProcess::remove_parameters() {
    if (allocator_.find(isa::kParameterBase) == nullptr) { return; }
    allocator_.release(isa::kParameterBase);
    announce_changes();
}

std::string HostProcess::waiting_for() const {
    if (call_ == &load_) { return "the modules' variables to be loaded"; }
    if (call_ == nullptr) { return "nothing"; }
    std::string phrase(name_of(call_->kind));
    if (call_->kind == HostCall::Kind::launch) { phrase += fmt::format(" of kernel '{}'", call_->kernel); }
    return fmt::format("{} to complete", phrase);
}

void HostProcess::fields(StateArchive& archive) {
    bool loading_variable = call_ == &load_;
    archive& started_& loaded_variables_& loading_variable& now_& outstanding_& sent_bytes_& link_free_&
        next_burst_time_;
    if (archive.loading() && loading_variable) { call_ = load_variable(kernel_table_.image[loaded_variables_ - 1]); }
    archive& received_& launches_& allocator_& log_& records_& counters_;
    if (archive.loading()) { repeat_calls(); }
}

/// Repeats the driver's calls from the log, up to its present call.
void HostProcess::repeat_calls() {
    announced_ = allocator_.mapped();
    driver_ = std::make_unique<DriverThread>(program_, kernel_table_.image);
    if (!started_ || call_ == &load_) { return; }
    for (const LogEntry& entry : log_) {
        call_ = driver_->resume();
        LOOKAHEAD_ASSERT(call_ != nullptr && call_->kind == entry.kind,
                         "the host program does not repeat the calls of its log");
        call_->allocated = entry.allocated;
        if (call_->kind == HostCall::Kind::copy_from_device) {
            std::copy_n(entry.data.data(), entry.data.size(), call_->destination.begin());
        }
    }
    call_ = driver_->resume();
}

}  // namespace lookahead::gpu
