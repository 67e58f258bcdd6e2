#pragma once

#include <cstdint>

namespace lookahead::cudart {

/// What the replacement libcudart.so, inside the CUDA program, and `lookahead capture`, which runs the kernels, say to
/// each other over a pair of sockets: one request at a time, each with its answer. So nothing of the simulator, MPI or
/// HDF5 is loaded into the program, and a program that crashes takes nothing with it.

/// Environment variable: the program's end of the sockets, a file descriptor.
inline constexpr const char* kSocketVariable = "LOOKAHEAD_CAPTURE_FD";

enum class Operation : std::uint32_t {
    load_module,       ///< payload: a fat binary
    find_kernel,       ///< payload: its name; answer: KernelInformation, then `parameters` ParameterPlaces
    find_variable,     ///< payload: its name; answer: address and bytes
    allocate,          ///< bytes; answer: address
    release,           ///< address
    copy_to_device,    ///< address; payload: the bytes
    copy_from_device,  ///< address, bytes; answer: the bytes
    copy_on_device,    ///< address, source, bytes
    fill,              ///< address, bytes, value
    launch,            ///< grid, block, shared_bytes; payload: `name_bytes` of the kernel's name, then the parameters
    read_clock,        ///< answer: only the time
    refuse,            ///< payload: a sentence: the program cannot go on
};
inline constexpr std::uint32_t kOperations = 12;

struct Request {
    Operation operation{};
    std::uint32_t value = 0;
    std::uint64_t address = 0;
    std::uint64_t source = 0;
    std::uint64_t bytes = 0;
    std::uint64_t payload_bytes = 0;
    std::uint32_t name_bytes = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t grid[3] = {};
    std::uint32_t block[3] = {};
};

struct Reply {
    std::int32_t error = 0;   ///< CUDA's error code
    std::uint32_t fatal = 0;  ///< 1: the program must end; the other side reports why
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t nanoseconds = 0;  ///< the emulated clock
    std::uint64_t payload_bytes = 0;
};

struct KernelInformation {
    std::uint32_t registers = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t max_threads = 0;  ///< of a block
    std::uint32_t parameter_bytes = 0;
    std::uint32_t parameters = 0;
};

struct ParameterPlace {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

/// CUDA's error codes that are used here, with CUDA's numbers.
enum CudaError : std::int32_t {
    kSuccess = 0,
    kInvalidValue = 1,
    kMemoryAllocation = 2,
    kInvalidConfiguration = 9,
    kInvalidSymbol = 13,
    kInvalidDeviceFunction = 98,
    kInvalidDevice = 101,
    kInvalidResourceHandle = 400,
    kNotReady = 600,
    kIllegalAddress = 700,
    kLaunchFailure = 719,
};

}  // namespace lookahead::cudart
