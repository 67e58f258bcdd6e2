#include "experiments/capture/server.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "components/device/device_print.h"
#include "components/emulator/memory_fault.h"
#include "components/frontend/cudart/fat_binary.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/launch.h"
#include "core/error/error.h"
#include "core/text/readable_name.h"

namespace lookahead {

namespace {

using cudart::Operation;
using cudart::Reply;
using cudart::Request;

/// The emulated clock, for events, need only grow with the work: 5 us per launch and 1 ns per warp instruction, 1 us
/// per copy or fill and 1 ns per 8 bytes.
constexpr std::uint64_t kLaunchNanoseconds = 5000;
constexpr std::uint64_t kCopyNanoseconds = 1000;
constexpr std::uint64_t kBytesPerNanosecond = 8;

/// The reason why the runtime refuses a launch: its shape, else its shared memory.
std::string refusal_of(const isa::Kernel& kernel, const LaunchConfiguration& configuration) {
    try {
        isa::check_launch(kernel, configuration.grid, configuration.block);
    } catch (const ProgramError& error) { return error.what(); }
    return fmt::format(
        "launch of {}: {} bytes of static and {} of dynamic shared memory are more than its blocks may have: 48 KiB in "
        "all, or what cudaFuncSetAttribute allowed",
        kernel.name, kernel.static_shared_bytes, configuration.dynamic_shared_bytes);
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const auto more = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Pages take memory once they are touched.
int make_memory_file() {
    const int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(FlatMemory::kBytes)) != 0) {
        throw InternalError("cannot create a file for the device's memory: {}", std::strerror(errno));
    }
    return file;
}

cudart::CudaError error_of(KernelFault::Kind kind) {
    // In the order of Kind.
    constexpr cudart::CudaError errors[] = {cudart::kIllegalAddress, cudart::kMisalignedAddress, cudart::kLaunchFailure,
                                            cudart::kAssert};
    return errors[static_cast<std::size_t>(kind)];
}

constexpr std::uint32_t kOwn = cudart::kCapabilityMajor * 10 + cudart::kCapabilityMinor;

/// The PTX that a GPU of the device's capability would take: the newest that is not newer. If all is newer, the oldest
/// may do.
const cudart::PtxImage& best_of(std::span<const cudart::PtxImage> images) {
    return *std::ranges::min_element(images, {}, [](const cudart::PtxImage& image) {
        const bool newer = image.architecture > kOwn;
        return std::pair(newer, newer ? image.architecture : kOwn - image.architecture);
    });
}

}  // namespace

CaptureServer::CaptureServer(std::string program, const CaptureMachine& machine)
    : machine_(machine), memory_file_(make_memory_file()) {
    capture_.ptx_name = fmt::format("{}.ptx", program);
    capture_.program = std::move(program);
}

CaptureServer::~CaptureServer() {
    close(memory_file_);
}

bool CaptureServer::needs_device(const Request& request) {
    return request.operation != Operation::load_module && request.operation != Operation::describe_device &&
           request.operation != Operation::note && request.operation != Operation::refuse;
}

void CaptureServer::perform_on(Device& device) {
    moved_ = std::make_unique<MovedVariables>(device, this->device().kernels().image);
    performer_ = moved_->none() ? &device : moved_.get();
    device.use_pages();
}

void CaptureServer::add(CapturedCall call, std::span<const std::byte> contents) {
    if (performer_ != nullptr) {
        repeat(call, contents, *performer_);
    } else {
        capture_.add(std::move(call), contents);
    }
}

void CaptureServer::bring(const Allocator::Block& block) {
    std::vector<std::byte> bytes(block.bytes);
    performer_->copy_from_device(bytes, block.address);
    device_->copy_to_device(block.address, bytes);
}

void CaptureServer::read(std::span<std::byte> destination, DeviceAddress source) {
    (performer_ != nullptr ? *performer_ : device()).copy_from_device(destination, source);
}

Reply CaptureServer::serve(const Request& request, std::span<const std::byte> payload, std::vector<std::byte>& answer) {
    answer.clear();
    asked_ = true;
    Reply reply;
    switch (request.operation) {
        case Operation::load_module:
            reply = load_module(payload, request.value);
            break;
        case Operation::describe_device:
            append(answer, machine_.information);
            break;
        case Operation::note:
            report(cudart::kSuccess, text_of(payload));
            break;
        case Operation::refuse:
            throw InputError("{} cannot be run here: {}", capture_.program, text_of(payload));
        default:
            begin_process(request.process);
            if (lost_ != cudart::kSuccess) {
                reply.error = lost_;
            } else {
                reply = serve_device(request, payload, answer);
            }
    }
    reply.nanoseconds = performer_ != nullptr ? performer_->nanoseconds() : nanoseconds_;
    reply.payload_bytes = answer.size();
    return reply;
}

/// Each process finds a fresh device: the previous one has ended with its memory and errors.
void CaptureServer::begin_process(std::int32_t process) {
    if (process_ != 0 && process != process_) {
        lost_ = cudart::kSuccess;
        reset();
    }
    process_ = process;
}

Reply CaptureServer::serve_device(const Request& request, std::span<const std::byte> payload,
                                  std::vector<std::byte>& answer) {
    switch (request.operation) {
        case Operation::find_kernel:
            return find_kernel(request.module, text_of(payload), answer);
        case Operation::find_variable:
            return find_variable(request.module, text_of(payload));
        case Operation::memory_left:
            return memory_left();
        case Operation::allocate:
            return allocate(request);
        case Operation::release:
            return release(request.address);
        case Operation::share:
            return share(request.address);
        case Operation::copy_to_device:
        case Operation::copy_from_device:
        case Operation::copy_on_device:
            return copy(request, payload, answer);
        case Operation::fill:
            return fill(request);
        case Operation::launch:
            return launch(request, payload, answer);
        case Operation::occupancy:
            return occupancy(request, text_of(payload));
        case Operation::synchronise:
            if (host_pages_ != nullptr) { take_copy_time(host_pages_->record_kernel_writes()); }
            return {};
        case Operation::read_clock:
            return {};
        case Operation::reset:
            return reset();
        default:
            throw InputError("{} asked for the unknown operation {}", capture_.program,
                             static_cast<std::uint32_t>(request.operation));
    }
}

Reply CaptureServer::report(cudart::CudaError error, const std::string& sentence) const {
    std::fprintf(stderr, "lookahead: %s: %s\n", capture_.program.c_str(), with_short_names(sentence).c_str());
    return {.error = error};
}

void CaptureServer::take_copy_time(std::uint64_t bytes) {
    if (bytes != 0) { nanoseconds_ += kCopyNanoseconds + bytes / kBytesPerNanosecond; }
}

Reply CaptureServer::load_module(std::span<const std::byte> fat_binaries, unsigned linked) {
    if (device_ != nullptr) {
        throw InputError("{} loads a module after it has used its device, which is not supported", capture_.program);
    }
    const std::string name = fmt::format("{}: its fat binary", capture_.program);
    const std::span<const std::byte> whole = fat_binaries;
    std::vector<std::string> parts;
    for (unsigned part = 0; part < std::max(linked, 1u); ++part) {
        const std::uint64_t bytes = linked == 0 ? fat_binaries.size() : cudart::fat_binary_bytes(fat_binaries, name);
        const auto images = cudart::extract_ptx(fat_binaries.first(bytes), name);
        if (!images.empty()) {
            const cudart::PtxImage& best = best_of(images);
            tell_if_newer(best.architecture);
            parts.push_back(best.text);
        } else if (bytes > sizeof(cudart::FatBinaryHeader)) {
            throw InputError("{} has a module without PTX: build it with nvcc -arch=sm_75, which embeds PTX too",
                             capture_.program);
        }
        fat_binaries = fat_binaries.subspan(bytes);
    }
    if (parts.empty()) {
        return {};  // the linker's stub
    }
    const unsigned number = modules_.add(linked == 0 ? parts.front() : link_parts(parts));
    capture_.modules = modules_.texts();
    // Several modules are linked by their PTX, in which names may change.
    capture_.cubins.clear();
    if (number == 0 && linked == 0) {
        try {
            capture_.cubins = cudart::extract_cubins(whole, name);
        } catch (const InputError&) {}  // compressed in a way that is not known: its PTX is enough
    }
    return {.address = number};
}

/// Warns once: a GPU would refuse the program, which here runs as far as its instructions are supported.
void CaptureServer::tell_if_newer(std::uint32_t architecture) {
    if (architecture <= kOwn || std::exchange(told_of_newer_, true)) { return; }
    report(cudart::kSuccess,
           "it has no PTX for the device, whose compute capability is {}.{}: the oldest is for {}.{}, and "
           "is run as far as its instructions are supported; nvcc -arch=sm_{} gives PTX for the device",
           cudart::kCapabilityMajor, cudart::kCapabilityMinor, architecture / 10, architecture % 10, kOwn);
}

EmulatedDevice& CaptureServer::device() {
    if (device_ == nullptr) {
        isa::KernelTable kernels;
        if (!capture_.modules.empty()) {
            kernels = finaliser::finalise_module(
                ptx::parse_module(capture_.ptx(), capture_.ptx_name, ptx::Refusal::of_kernel), machine_.options);
        }
        // Programs are told capability 7.5, which has independent thread scheduling, on every machine.
        const EmulatorOptions options{.memory_file = memory_file_, .simt = isa::SimtModel::convergence_barrier};
        device_ = std::make_unique<EmulatedDevice>(std::move(kernels), options);
        device_->use_pages();
        host_pages_ = std::make_unique<HostPages>(
            [this](CapturedCall call, std::span<const std::byte> contents) { add(std::move(call), contents); },
            *device_);
    }
    return *device_;
}

const isa::Kernel* CaptureServer::find(unsigned module, const std::string& name) {
    const isa::KernelTable& kernels = device().kernels();
    const auto found = std::ranges::find(kernels, modules_.name(module, name), &isa::Kernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

Reply CaptureServer::find_kernel(unsigned module, const std::string& name, std::vector<std::byte>& answer) {
    const isa::Kernel* const kernel = find(module, name);
    if (kernel == nullptr) { return report(cudart::kInvalidDeviceFunction, "there is no kernel {}", name); }
    std::uint64_t constant_bytes = 0;
    for (const isa::ModuleVariable& variable : device().kernels().image) {
        if (variable.is_constant) { constant_bytes += variable.bytes; }
    }
    append(answer,
           cudart::KernelInformation{.registers = kernel->registers,
                                     .shared_bytes = kernel->static_shared_bytes,
                                     .local_bytes = kernel->local_bytes,
                                     .constant_bytes = static_cast<std::uint32_t>(constant_bytes),
                                     .max_threads = kernel->max_threads_per_cta != 0 ? kernel->max_threads_per_cta
                                                                                     : cudart::kMaxThreadsPerBlock,
                                     .parameter_bytes = kernel->parameter_bytes,
                                     .parameters = static_cast<std::uint32_t>(kernel->parameter_offsets.size()),
                                     .architecture = modules_.architecture(module)});
    for (std::size_t i = 0; i < kernel->parameter_offsets.size(); ++i) {
        append(answer, cudart::ParameterPlace{kernel->parameter_offsets[i], kernel->parameter_sizes[i]});
    }
    return {};
}

Reply CaptureServer::find_variable(unsigned module, const std::string& name) {
    const isa::ModuleImage& image = device().kernels().image;
    const auto found = std::ranges::find(image, modules_.name(module, name), &isa::ModuleVariable::name);
    if (found == image.end()) { return report(cudart::kInvalidSymbol, "there is no variable {}", name); }
    return {.address = found->address, .bytes = found->bytes};
}

Reply CaptureServer::memory_left() {
    std::uint64_t used = 0;
    for (const Allocator::Block& block : device().allocator().blocks()) { used += block.bytes; }
    const std::uint64_t all = machine_.information.memory_bytes;
    return {.address = all, .bytes = all - std::min(all, used)};
}

Reply CaptureServer::allocate(const Request& request) {
    const auto visibility = static_cast<cudart::Visibility>(request.value);
    // Pinned memory is the host's, which is larger.
    if (visibility != cudart::Visibility::pinned && request.bytes > memory_left().bytes) {
        return report(cudart::kMemoryAllocation, "an allocation of {} bytes does not fit in the device's memory",
                      request.bytes);
    }
    try {
        const DeviceAddress address = device().allocate(request.bytes);
        add({.kind = CapturedCall::Kind::allocate, .address = address, .bytes = request.bytes});
        if (visibility == cudart::Visibility::pinned) { pinned_.push_back({address, request.bytes}); }
        if (visibility == cudart::Visibility::managed) {
            device().fill(address, std::byte{0}, request.bytes);
            add({.kind = CapturedCall::Kind::fill, .address = address, .bytes = request.bytes});
            host_pages_->share({address, request.bytes}, false);
        }
        return {.address = address};
    } catch (const ProgramError& error) { return report(cudart::kMemoryAllocation, error.what()); }
}

Reply CaptureServer::release(DeviceAddress address) {
    const Allocator::Block* const block = device().allocator().find(address);
    if (block == nullptr || block->address != address || address >= isa::kModuleBase) {
        return report(cudart::kInvalidValue, "cudaFree of {:#x}, at which no allocation begins", address);
    }
    take_copy_time(host_pages_->record_kernel_writes());  // cudaFree waits for the device
    host_pages_->remove(address);
    std::erase_if(pinned_, [address](const Allocator::Block& pinned) { return pinned.address == address; });
    device().release(address);
    add({.kind = CapturedCall::Kind::release, .address = address});
    return {};
}

Reply CaptureServer::share(DeviceAddress address) {
    const Allocator::Block* const block = device().allocator().find(address);
    if (block == nullptr || block->address != address) { return {.error = cudart::kInvalidValue}; }
    if (host_pages_->contains(address)) { return {}; }
    if (performer_ != nullptr && std::ranges::find(pinned_, *block) == pinned_.end()) { bring(*block); }
    host_pages_->share(*block, std::erase(pinned_, *block) != 0);
    return {};
}

void CaptureServer::share_pinned_memory(std::span<const std::byte> parameters) {
    for (std::size_t offset = 0; offset + sizeof(DeviceAddress) <= parameters.size(); offset += 4) {
        DeviceAddress value = 0;
        std::memcpy(&value, parameters.data() + offset, sizeof value);
        const auto found = std::ranges::find_if(
            pinned_, [value](const Allocator::Block& block) { return value >= block.address && value < block.end(); });
        if (found != pinned_.end()) { share(found->address); }
    }
}

Reply CaptureServer::reset() {
    std::vector<Allocator::Block> blocks(device().allocator().blocks().begin(), device().allocator().blocks().end());
    for (const Allocator::Block& block : blocks) {
        if (block.address < isa::kModuleBase) { release(block.address); }
    }
    for (const isa::ModuleVariable& variable : device().kernels().image) {
        if (!variable.has_initial_value) { continue; }
        const bool zero = variable.contents.empty();
        device().fill(variable.address, std::byte{0}, variable.bytes);
        device().copy_to_device(variable.address, variable.contents);
        if (zero) { add({.kind = CapturedCall::Kind::fill, .address = variable.address, .bytes = variable.bytes}); }
        if (!zero) {
            add({.kind = CapturedCall::Kind::copy_to_device, .address = variable.address}, variable.contents);
        }
        host_pages_->accept(variable.address, variable.bytes);
    }
    return {};
}

bool CaptureServer::is_allocated(DeviceAddress address, std::uint64_t bytes) {
    return device().allocator().contains(address, bytes);
}

Reply CaptureServer::copy(const Request& request, std::span<const std::byte> payload, std::vector<std::byte>& answer) {
    using Kind = CapturedCall::Kind;
    const std::uint64_t bytes = request.operation == Operation::copy_to_device ? payload.size() : request.bytes;
    const bool from_memory = request.operation == Operation::copy_on_device;
    if (!is_allocated(request.address, bytes) || (from_memory && !is_allocated(request.source, bytes))) {
        return report(cudart::kInvalidValue, "a copy of {} bytes at {:#x} is not inside an allocation", bytes,
                      request.address);
    }
    take_copy_time(host_pages_->record_host_writes());
    take_copy_time(bytes);
    if (request.operation == Operation::copy_from_device) {
        answer.resize(bytes);
        read(answer, request.address);
        add({.kind = Kind::copy_from_device, .address = request.address}, answer);
        return {};
    }
    if (from_memory) {
        std::vector<std::byte> moved(bytes);
        read(moved, request.source);
        device().copy_to_device(request.address, moved);
        add({.kind = Kind::copy_on_device, .address = request.address, .source = request.source, .bytes = bytes});
    } else {
        device().copy_to_device(request.address, payload);
        add({.kind = Kind::copy_to_device, .address = request.address}, payload);
    }
    host_pages_->accept(request.address, bytes);
    return {};
}

Reply CaptureServer::fill(const Request& request) {
    if (!is_allocated(request.address, request.bytes)) {
        return report(cudart::kInvalidValue, "a memset of {} bytes at {:#x} is not inside an allocation", request.bytes,
                      request.address);
    }
    take_copy_time(host_pages_->record_host_writes());
    take_copy_time(request.bytes);
    if (request.source <= 1) {
        device().fill(request.address, static_cast<std::byte>(request.value), request.bytes);
        add({.kind = CapturedCall::Kind::fill,
             .address = request.address,
             .bytes = request.bytes,
             .value = request.value});
    } else {  // a pattern of two or four bytes is recorded as a copy of the filled bytes
        std::vector<std::byte> pattern(request.bytes);
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            pattern[i] = static_cast<std::byte>(request.value >> (8 * (i % request.source)));
        }
        device().copy_to_device(request.address, pattern);
        add({.kind = CapturedCall::Kind::copy_to_device, .address = request.address}, pattern);
    }
    host_pages_->accept(request.address, request.bytes);
    return {};
}

Reply CaptureServer::occupancy(const Request& request, const std::string& name) {
    const isa::Kernel* const kernel = find(request.module, name);
    if (kernel == nullptr) { return report(cudart::kInvalidDeviceFunction, "there is no kernel {}", name); }
    const isa::Dim3 block{request.block[0], 1, 1};
    return {.bytes = gpu::ctas_per_sm(machine_.limits, *kernel, block, request.shared_bytes)};
}

Reply CaptureServer::fail(CapturedCall call, std::span<const std::byte> parameters, cudart::CudaError error,
                          const std::string& sentence) {
    call.error = error;
    record_needed_pages();
    add(std::move(call), parameters);
    if (cudart::loses_device(error)) { lost_ = error; }
    return report(error, sentence);
}

/// Call it before the first launch that accesses bytes outside its allocations. Other captures are replayed as strictly
/// as a workload's driver.
void CaptureServer::record_needed_pages() {
    if (!recorded_pages_ && device().allocator().needed_pages()) {
        add({.kind = CapturedCall::Kind::use_pages});
        recorded_pages_ = true;
    }
}

std::vector<std::byte> CaptureServer::printed_text() {
    const DevicePrinter printer(device().kernels().image);
    if (!printer.prints()) { return {}; }
    const std::string text = printer.collect(device());
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Reply CaptureServer::perform(CapturedCall call, const isa::Kernel& kernel, std::span<const std::byte> parameters) {
    const LaunchConfiguration& launch = call.configuration;
    if (gpu::ctas_per_sm(machine_.limits, kernel, launch.block, launch.dynamic_shared_bytes) == 0) {
        return fail(
            call, parameters, cudart::kLaunchOutOfResources,
            fmt::format("launch of {}: its blocks of {} threads, with {} registers per thread, do not fit on an SM; -o "
                        "isa.registers=N makes kernels use fewer",
                        kernel.name, launch.block.count(), kernel.registers));
    }
    performer_->launch(call.kernel, launch, parameters);
    for (const Allocator::Block& block : host_pages_->blocks()) { bring(block); }
    host_pages_->note_kernel_writes();
    return {};
}

Reply CaptureServer::launch(const Request& request, std::span<const std::byte> payload,
                            std::vector<std::byte>& answer) {
    if (request.name_bytes > payload.size()) {
        throw InputError("{}: a launch's kernel name is longer than its message", capture_.program);
    }
    const std::string name = text_of(payload.first(request.name_bytes));
    const auto parameters = payload.subspan(request.name_bytes);
    const isa::Kernel* const kernel = find(request.module, name);
    if (kernel == nullptr) { return report(cudart::kInvalidDeviceFunction, "there is no kernel {}", name); }
    if (!kernel->refusal.empty()) {
        throw InputError("{} cannot be run here: it launches {}: {}", capture_.program, short_name(kernel->name),
                         kernel->refusal);
    }
    CapturedCall call{.kind = CapturedCall::Kind::launch, .kernel = kernel->name};
    call.configuration = {{request.grid[0], request.grid[1], request.grid[2]},
                          {request.block[0], request.block[1], request.block[2]},
                          request.shared_bytes};
    if (request.value != 0) {
        return fail(std::move(call), parameters, static_cast<cudart::CudaError>(request.value),
                    refusal_of(*kernel, call.configuration));
    }
    try {
        isa::check_launch(*kernel, call.configuration.grid, call.configuration.block);
    } catch (const ProgramError& error) {
        return fail(std::move(call), parameters, cudart::kInvalidConfiguration, error.what());
    }
    share_pinned_memory(parameters);
    take_copy_time(host_pages_->record_host_writes());
    if (performer_ != nullptr) { return perform(std::move(call), *kernel, parameters); }
    const std::uint64_t before = device().counts().total.warps;
    if (watcher_) { watcher_(call.kernel, device().launches().size() + 1, before); }
    try {
        device().launch(call.kernel, call.configuration, parameters);
    } catch (const KernelFault& fault) {
        return fail(std::move(call), parameters, error_of(fault.kind()), fault.what());
    } catch (const ProgramError& error) {
        // The launch has not ended and will not. If host and kernel share memory, it may be waiting for the host.
        const char* const reason =
            host_pages_->empty()
                ? ""
                : "; if it waits for the host, it waits forever: here a launch returns only when its kernel has ended";
        return fail(std::move(call), parameters, cudart::kLaunchFailure, error.what() + std::string(reason));
    }
    answer = printed_text();
    nanoseconds_ += kLaunchNanoseconds + device().counts().total.warps - before;
    record_needed_pages();
    add(std::move(call), parameters);
    host_pages_->note_kernel_writes();
    return {};
}

}  // namespace lookahead
