#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/cudart/protocol.h"
#include "components/frontend/finaliser/options.h"
#include "experiments/capture/capture.h"

namespace lookahead {

/// The device behind a captured program: does what the replacement libcudart.so asks for on the functional emulator and
/// records it.
class CaptureServer {
  public:
    CaptureServer(std::string program, const finaliser::FinaliserOptions& options);

    /// Serves one request. What makes the program end is thrown as an InputError; what CUDA reports as an error code
    /// comes back as that, with a line on stderr that says more.
    cudart::Reply serve(const cudart::Request& request, std::span<const std::byte> payload,
                        std::vector<std::byte>& answer);

    const Capture& capture() const { return capture_; }

  private:
    void load_module(std::span<const std::byte> fat_binary);
    cudart::Reply find_kernel(const std::string& name, std::vector<std::byte>& answer);
    cudart::Reply find_variable(const std::string& name);
    cudart::Reply allocate(std::uint64_t bytes);
    cudart::Reply launch(const cudart::Request& request, std::span<const std::byte> payload);
    cudart::Reply copy_or_fill(const cudart::Request& request, std::span<const std::byte> payload,
                               std::vector<std::byte>& answer);
    /// Whether the device has all bytes that the request names.
    bool is_allocated(const cudart::Request& request, std::uint64_t bytes);
    const isa::Kernel* kernel_named(std::string_view name);
    /// The program's modules are complete when it first uses its device.
    EmulatedDevice& device();
    cudart::Reply report(cudart::CudaError error, const std::string& sentence) const;

    finaliser::FinaliserOptions options_;
    Capture capture_;
    std::unique_ptr<EmulatedDevice> device_;
    bool lost_ = false;  ///< a kernel failed; CUDA's context is gone
    std::uint64_t nanoseconds_ = 0;
};

}  // namespace lookahead
