#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/cudart/protocol.h"
#include "experiments/capture/capture.h"
#include "experiments/capture/capture_machine.h"
#include "experiments/capture/host_pages.h"
#include "experiments/capture/linked_modules.h"
#include "experiments/capture/moved_variables.h"

namespace lookahead {

/// The device of a captured program: executes the requests of the replacement libcudart.so on the functional emulator
/// and records them.
class CaptureServer {
  public:
    explicit CaptureServer(std::string program, const CaptureMachine& machine = {});
    ~CaptureServer();
    CaptureServer(const CaptureServer&) = delete;
    CaptureServer& operator=(const CaptureServer&) = delete;

    /// Serves one request. Errors that end the program are thrown as InputError; errors that CUDA reports as a code are
    /// returned as that code, with a line on stderr that says more.
    cudart::Reply serve(const cudart::Request& request, std::span<const std::byte> payload,
                        std::vector<std::byte>& answer);

    /// Called before each launch with the kernel's name, its number from 1, and the warp instructions of the earlier
    /// launches.
    using LaunchWatcher = std::function<void(const std::string&, std::size_t, std::uint64_t)>;
    void watch_launches(LaunchWatcher watcher) { watcher_ = std::move(watcher); }

    /// Whether the request needs the device; the program's modules are complete at the first such request.
    static bool needs_device(const cudart::Request& request);
    /// Lets `device` execute later requests, without recording. Call it before the first request that needs the device;
    /// `device` must outlive the server's use. The clock is the device's.
    void perform_on(Device& device);

    const Capture& capture() const { return capture_; }
    /// Whether the program has used the replacement runtime.
    bool was_asked() const { return asked_; }
    /// The file of the device's memory, for the program to map.
    int memory_file() const { return memory_file_; }

  private:
    cudart::Reply serve_device(const cudart::Request& request, std::span<const std::byte> payload,
                               std::vector<std::byte>& answer);
    cudart::Reply load_module(std::span<const std::byte> fat_binaries, unsigned linked);
    cudart::Reply find_kernel(unsigned module, const std::string& name, std::vector<std::byte>& answer);
    cudart::Reply find_variable(unsigned module, const std::string& name);
    cudart::Reply allocate(const cudart::Request& request);
    cudart::Reply release(DeviceAddress address);
    cudart::Reply memory_left();
    cudart::Reply launch(const cudart::Request& request, std::span<const std::byte> payload,
                         std::vector<std::byte>& answer);
    cudart::Reply perform(CapturedCall call, const isa::Kernel& kernel, std::span<const std::byte> parameters);
    /// Records the call, or lets the performing device execute it.
    void add(CapturedCall call, std::span<const std::byte> contents = {});
    void read(std::span<std::byte> destination, DeviceAddress source);
    /// Copies kernels' writes on the performing device to where the host sees them.
    void bring(const Allocator::Block& block);
    std::vector<std::byte> printed_text();
    void record_needed_pages();
    cudart::Reply fail(CapturedCall call, std::span<const std::byte> parameters, cudart::CudaError error,
                       const std::string& sentence);
    cudart::Reply occupancy(const cudart::Request& request, const std::string& name);
    cudart::Reply copy(const cudart::Request& request, std::span<const std::byte> payload,
                       std::vector<std::byte>& answer);
    cudart::Reply fill(const cudart::Request& request);
    cudart::Reply share(DeviceAddress address);
    cudart::Reply reset();
    void begin_process(std::int32_t process);
    /// Shares pinned memory whose address is in the parameters with kernels from now on.
    void share_pinned_memory(std::span<const std::byte> parameters);
    bool is_allocated(DeviceAddress address, std::uint64_t bytes);
    const isa::Kernel* find(unsigned module, const std::string& name);
    /// The device; the program's modules are complete at its first use.
    EmulatedDevice& device();
    cudart::Reply report(cudart::CudaError error, const std::string& sentence) const;
    template <class First, class... Rest>
    cudart::Reply report(cudart::CudaError error, fmt::format_string<First, Rest...> format, First&& first,
                         Rest&&... rest) const {
        return report(error, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
    }
    void take_copy_time(std::uint64_t bytes);
    void tell_if_newer(std::uint32_t architecture);

    CaptureMachine machine_;
    bool asked_ = false;
    Capture capture_;
    LinkedModules modules_;
    int memory_file_ = -1;
    LaunchWatcher watcher_;
    std::unique_ptr<EmulatedDevice> device_;  ///< with `performer_` its allocations, and the memory that the host sees
    std::unique_ptr<MovedVariables> moved_;
    Device* performer_ = nullptr;
    std::unique_ptr<HostPages> host_pages_;
    bool recorded_pages_ = false;
    bool told_of_newer_ = false;
    std::vector<Allocator::Block> pinned_;       ///< not shared with kernels yet
    cudart::CudaError lost_ = cudart::kSuccess;  ///< a kernel failed; CUDA's context is lost
    std::int32_t process_ = 0;                   ///< of the program; the device is its
    std::uint64_t nanoseconds_ = 0;
};

}  // namespace lookahead
