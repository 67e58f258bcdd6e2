#include "components/device/launch_check.h"

#include <string>

#include "core/error/error.h"

namespace lookahead {

namespace {

constexpr std::uint64_t kMaxThreadsPerBlock = 1024;
constexpr std::uint32_t kMaxBlockZ = 64;
constexpr std::uint32_t kMaxGridX = 0x7fffffff;
constexpr std::uint32_t kMaxGridYZ = 65535;
/// A launch travels in one message, whose payload is bounded.
constexpr std::uint32_t kMaxParameterBytes = 1920;

std::string shape(const isa::Dim3& size) {
    return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

}  // namespace

void check_launch(const isa::Kernel& kernel, const gpu::LaunchFields& launch) {
    const std::string what = "launch of kernel '" + kernel.name + "': ";
    const isa::Dim3& grid = launch.grid;
    const isa::Dim3& block = launch.block;
    if (grid.count() == 0 || grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) {
        throw ProgramError(what + "grid " + shape(grid) + " is outside 1x1x1 to 2147483647x65535x65535");
    }
    if (block.count() == 0 || block.count() > kMaxThreadsPerBlock || block.z > kMaxBlockZ) {
        throw ProgramError(what + "block " + shape(block) + " must have 1 to 1024 threads and at most 64 layers");
    }
    if (kernel.max_threads_per_cta != 0 && block.count() > kernel.max_threads_per_cta) {
        throw ProgramError(what + "block " + shape(block) + " has more threads than the kernel's .maxntid allows (" +
                           std::to_string(kernel.max_threads_per_cta) + ")");
    }
    if (launch.parameter_bytes > kMaxParameterBytes) {
        throw ProgramError(what + std::to_string(launch.parameter_bytes) + " bytes of parameters, at most " +
                           std::to_string(kMaxParameterBytes) + " are supported");
    }
    if (launch.parameter_bytes != kernel.parameter_bytes) {
        throw ProgramError(what + "got " + std::to_string(launch.parameter_bytes) +
                           " bytes of parameters, the kernel takes " + std::to_string(kernel.parameter_bytes));
    }
}

}  // namespace lookahead
