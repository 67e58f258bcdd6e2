#include "experiments/capture/server.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "components/frontend/cudart/fat_binary.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/launch.h"
#include "core/error/error.h"

namespace lookahead {

namespace {

using cudart::Operation;
using cudart::Reply;
using cudart::Request;

/// The emulated clock: events measure it, so it need only grow with the work. A launch takes 5 us and a nanosecond a warp
/// instruction, a copy or filling 1 us and 8 bytes a nanosecond.
constexpr std::uint64_t kLaunchNanoseconds = 5000;
constexpr std::uint64_t kCopyNanoseconds = 1000;
constexpr std::uint64_t kBytesPerNanosecond = 8;

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The module without .version, .target and .address_size, which a module has once.
std::string without_preamble(const std::string& ptx) {
    std::string rest;
    std::size_t begin = 0;
    while (begin < ptx.size()) {
        const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
        const std::string_view line = std::string_view(ptx).substr(begin, end - begin);
        const bool preamble =
            line.starts_with(".version") || line.starts_with(".target") || line.starts_with(".address_size");
        if (!preamble) rest += line;
        begin = end;
    }
    return rest;
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const auto more = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

CaptureServer::CaptureServer(std::string program, const finaliser::FinaliserOptions& options) : options_(options) {
    capture_.ptx_name = program + ".ptx";
    capture_.program = std::move(program);
}

Reply CaptureServer::serve(const Request& request, std::span<const std::byte> payload, std::vector<std::byte>& answer) {
    answer.clear();
    Reply reply;
    if (request.operation == Operation::load_module) {
        load_module(payload);
    } else if (request.operation == Operation::refuse) {
        throw InputError(fmt::format("{} cannot be captured: {}", capture_.program, text_of(payload)));
    } else if (lost_) {
        reply.error = cudart::kIllegalAddress;
    } else {
        switch (request.operation) {
            case Operation::find_kernel:
                reply = find_kernel(text_of(payload), answer);
                break;
            case Operation::find_variable:
                reply = find_variable(text_of(payload));
                break;
            case Operation::allocate:
                reply = allocate(request.bytes);
                break;
            case Operation::launch:
                reply = launch(request, payload);
                break;
            case Operation::read_clock:
                break;
            case Operation::release:
            case Operation::copy_to_device:
            case Operation::copy_from_device:
            case Operation::copy_on_device:
            case Operation::fill:
                reply = copy_or_fill(request, payload, answer);
                break;
            default:
                throw InputError(fmt::format("{} asked for the unknown operation {}", capture_.program,
                                             static_cast<std::uint32_t>(request.operation)));
        }
    }
    reply.nanoseconds = nanoseconds_;
    reply.payload_bytes = answer.size();
    return reply;
}

Reply CaptureServer::report(cudart::CudaError error, const std::string& sentence) const {
    std::fprintf(stderr, "lookahead: %s: %s\n", capture_.program.c_str(), sentence.c_str());
    return {.error = error};
}

void CaptureServer::load_module(std::span<const std::byte> fat_binary) {
    if (device_ != nullptr)
        throw InputError(capture_.program + " loads a module after it has used its device, which is not supported");
    const auto images = cudart::extract_ptx(fat_binary, capture_.program + ": its fat binary");
    if (images.empty()) {
        if (fat_binary.size() > sizeof(cudart::FatBinaryHeader))
            throw InputError(capture_.program + " has a module without PTX: build it with nvcc -arch=sm_75, which " +
                             "embeds PTX too");
        return;  // the linker's stub
    }
    const auto newest = std::ranges::max_element(images, {}, &cudart::PtxImage::architecture);
    capture_.modules.push_back(capture_.modules.empty() ? newest->text + "\n" : without_preamble(newest->text) + "\n");
}

EmulatedDevice& CaptureServer::device() {
    if (device_ == nullptr) {
        isa::KernelTable kernels;
        if (!capture_.modules.empty())
            kernels = finaliser::finalise_module(ptx::parse_module(capture_.ptx(), capture_.ptx_name), options_);
        device_ = std::make_unique<EmulatedDevice>(std::move(kernels));
    }
    return *device_;
}

const isa::Kernel* CaptureServer::kernel_named(std::string_view name) {
    const isa::KernelTable& kernels = device().kernels();
    const auto found = std::ranges::find_if(kernels, [name](const isa::Kernel& kernel) { return kernel.name == name; });
    return found == kernels.end() ? nullptr : &*found;
}

Reply CaptureServer::find_kernel(const std::string& name, std::vector<std::byte>& answer) {
    const isa::Kernel* const kernel = kernel_named(name);
    if (kernel == nullptr) return report(cudart::kInvalidDeviceFunction, "there is no kernel " + name);
    constexpr std::uint32_t kMostThreads = 1024;
    append(answer, cudart::KernelInformation{
                       .registers = kernel->registers,
                       .shared_bytes = kernel->static_shared_bytes,
                       .local_bytes = kernel->local_bytes,
                       .max_threads = kernel->max_threads_per_cta != 0 ? kernel->max_threads_per_cta : kMostThreads,
                       .parameter_bytes = kernel->parameter_bytes,
                       .parameters = static_cast<std::uint32_t>(kernel->parameter_offsets.size())});
    for (std::size_t i = 0; i < kernel->parameter_offsets.size(); ++i)
        append(answer, cudart::ParameterPlace{kernel->parameter_offsets[i], kernel->parameter_sizes[i]});
    return {};
}

Reply CaptureServer::find_variable(const std::string& name) {
    const isa::ModuleImage& image = device().kernels().image;
    const auto found = std::ranges::find(image, name, &isa::ModuleVariable::name);
    if (found == image.end()) return report(cudart::kInvalidSymbol, "there is no variable " + name);
    return {.address = found->address, .bytes = found->bytes};
}

Reply CaptureServer::allocate(std::uint64_t bytes) {
    try {
        const DeviceAddress address = device().allocate(bytes);
        capture_.add({.kind = CapturedCall::Kind::allocate, .address = address, .bytes = bytes});
        return {.address = address};
    } catch (const ProgramError& error) {
        return report(cudart::kMemoryAllocation, error.what());
    }
}

bool CaptureServer::is_allocated(const Request& request, std::uint64_t bytes) {
    const Allocator& allocator = device().allocator();
    return allocator.contains(request.address, bytes) &&
           (request.operation != Operation::copy_on_device || allocator.contains(request.source, bytes));
}

Reply CaptureServer::copy_or_fill(const Request& request, std::span<const std::byte> payload,
                                  std::vector<std::byte>& answer) {
    using Kind = CapturedCall::Kind;
    if (request.operation == Operation::release) {
        const Allocator::Block* const block = device().allocator().find(request.address);
        if (block == nullptr || block->address != request.address || request.address >= isa::kModuleBase)
            return report(cudart::kInvalidValue,
                          fmt::format("cudaFree of {:#x}, at which no allocation begins", request.address));
        device().release(request.address);
        capture_.add({.kind = Kind::release, .address = request.address});
        return {};
    }
    const std::uint64_t bytes = request.operation == Operation::copy_to_device ? payload.size() : request.bytes;
    if (!is_allocated(request, bytes))
        return report(
            cudart::kInvalidValue,
            fmt::format("a copy or filling of {} bytes at {:#x} is not inside an allocation", bytes, request.address));
    nanoseconds_ += kCopyNanoseconds + bytes / kBytesPerNanosecond;
    if (request.operation == Operation::copy_to_device) {
        device().copy_to_device(request.address, payload);
        capture_.add({.kind = Kind::copy_to_device, .address = request.address}, payload);
    } else if (request.operation == Operation::copy_from_device) {
        answer.resize(bytes);
        device().copy_from_device(answer, request.address);
        capture_.add({.kind = Kind::copy_from_device, .address = request.address}, answer);
    } else if (request.operation == Operation::fill) {
        device().fill(request.address, static_cast<std::byte>(request.value), bytes);
        capture_.add({.kind = Kind::fill, .address = request.address, .bytes = bytes, .value = request.value});
    } else {
        std::vector<std::byte> moved(bytes);
        device().copy_from_device(moved, request.source);
        device().copy_to_device(request.address, moved);
        capture_.add(
            {.kind = Kind::copy_on_device, .address = request.address, .source = request.source, .bytes = bytes});
    }
    return {};
}

Reply CaptureServer::launch(const Request& request, std::span<const std::byte> payload) {
    if (request.name_bytes > payload.size())
        throw InputError(capture_.program + ": a launch's kernel name is longer than its message");
    CapturedCall call{.kind = CapturedCall::Kind::launch, .kernel = text_of(payload.first(request.name_bytes))};
    call.configuration = {{request.grid[0], request.grid[1], request.grid[2]},
                          {request.block[0], request.block[1], request.block[2]},
                          request.shared_bytes};
    const auto parameters = payload.subspan(request.name_bytes);
    const isa::Kernel* const kernel = kernel_named(call.kernel);
    if (kernel == nullptr) return report(cudart::kInvalidDeviceFunction, "there is no kernel " + call.kernel);
    try {
        isa::check_launch(*kernel, call.configuration.grid, call.configuration.block);
    } catch (const ProgramError& error) {
        return report(cudart::kInvalidConfiguration, error.what());
    }
    const std::uint64_t before = device().counts().total.warps;
    try {
        device().launch(call.kernel, call.configuration, parameters);
    } catch (const ProgramError& error) {
        lost_ = true;
        return report(cudart::kIllegalAddress, error.what());
    }
    nanoseconds_ += kLaunchNanoseconds + device().counts().total.warps - before;
    capture_.add(std::move(call), parameters);
    return {};
}

}  // namespace lookahead
