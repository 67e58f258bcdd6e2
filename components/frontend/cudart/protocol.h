#pragma once

#include <cstdint>

namespace lookahead::cudart {

/// The protocol between the replacement libcudart.so, inside the CUDA program, and `lookahead capture`, which runs the
/// kernels. A pair of sockets carries one request at a time, then its answer. So the program loads no part of the
/// simulator, MPI or HDF5, and a crash of the program affects no other process. The device's memory is a shared file
/// that both map, the program at the device's own addresses; the program may access managed and pinned memory in it.

/// Environment variables: the program's end of the sockets, and the device's memory; both are file descriptors.
inline constexpr const char* kSocketVariable = "LOOKAHEAD_CAPTURE_FD";
inline constexpr const char* kMemoryVariable = "LOOKAHEAD_CAPTURE_MEMORY_FD";

enum class Operation : std::uint32_t {
    load_module,      ///< payload: a fat binary, or `value` > 0 of them that are linked; answer: the module's number as
                      ///< address
    find_kernel,      ///< module, payload: its name; answer: KernelInformation, then `parameters` ParameterPlaces
    find_variable,    ///< module, payload: its name; answer: address and bytes
    describe_device,  ///< answer: DeviceInformation
    memory_left,      ///< answer: free bytes as bytes, all bytes as address
    allocate,         ///< bytes, value = Visibility; answer: address
    release,          ///< address
    share,            ///< address of a pinned allocation or a managed variable: kernels and the host share it
    copy_to_device,   ///< address; payload: the bytes
    copy_from_device,  ///< address, bytes; answer: the bytes
    copy_on_device,    ///< address, source, bytes
    fill,              ///< address, bytes, value, source = bytes of the value (1, 2 or 4)
    launch,       ///< module, grid, block, shared_bytes; payload: `name_bytes` of the kernel's name, the parameters;
                  ///< value: CUDA's error for a launch that is only recorded, else 0; answer: the kernel's printed text
    occupancy,    ///< module, block[0] threads, shared_bytes; payload: the kernel's name; answer: CTAs as bytes
    synchronise,  ///< the program waits for its device
    read_clock,   ///< answer: only the time
    reset,        ///< releases all memory and restores the variables' first contents
    note,         ///< payload: a sentence for the user
    refuse,       ///< payload: a sentence: the program cannot go on
};

/// Who accesses an allocation besides kernels and copies.
enum class Visibility : std::uint32_t {
    device,   ///< no access by the host
    pinned,   ///< the host; it is the program's buffer until a kernel gets its address
    managed,  ///< the host and kernels
};

struct Request {
    Operation operation{};
    std::uint32_t value = 0;
    std::uint64_t address = 0;
    std::uint64_t source = 0;
    std::uint64_t bytes = 0;
    std::uint64_t payload_bytes = 0;
    std::uint32_t module = 0;
    std::uint32_t name_bytes = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t grid[3] = {};
    std::uint32_t block[3] = {};
    std::int32_t process = 0;  ///< the requesting process: each process of the program has its own device
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
    std::uint32_t constant_bytes = 0;  ///< of the module's .const variables
    std::uint32_t max_threads = 0;     ///< of a block
    std::uint32_t parameter_bytes = 0;
    std::uint32_t parameters = 0;
    std::uint32_t architecture = 0;  ///< of the module's .target: 75 for sm_75
};

struct ParameterPlace {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

/// The machine's properties as programs see them.
struct DeviceInformation {
    char name[64] = {};
    std::uint64_t memory_bytes = 0;
    std::uint32_t multiprocessors = 0;
    std::uint32_t clock_kilohertz = 0;
    std::uint32_t memory_clock_kilohertz = 0;
    std::uint32_t memory_bus_bits = 0;
    std::uint32_t l2_bytes = 0;
    std::uint32_t shared_bytes_per_block = 0;
    std::uint32_t shared_bytes_per_multiprocessor = 0;
    std::uint32_t registers_per_multiprocessor = 0;
    std::uint32_t threads_per_multiprocessor = 0;
    std::uint32_t blocks_per_multiprocessor = 0;
};

/// Bytes of shared memory that a block may have without cudaFuncSetAttribute, on every device.
inline constexpr std::uint32_t kSharedBytesByDefault = 48 * 1024;
inline constexpr std::uint32_t kMaxThreadsPerBlock = 1024;
/// The device's capability, as programs see it.
inline constexpr int kCapabilityMajor = 7, kCapabilityMinor = 5;

/// CUDA's error codes that are used here, with CUDA's numbers.
enum CudaError : std::int32_t {
    kSuccess = 0,
    kInvalidValue = 1,
    kMemoryAllocation = 2,
    kInitializationError = 3,
    kInvalidConfiguration = 9,
    kInvalidPitch = 12,
    kInvalidSymbol = 13,
    kInvalidChannelDescriptor = 20,
    kInvalidCopyDirection = 21,
    kDevicesUnavailable = 46,
    kMissingConfiguration = 52,
    kInvalidDeviceFunction = 98,
    kInvalidDevice = 101,
    kUnsupportedLimit = 215,
    kInvalidResourceHandle = 400,
    kIllegalState = 401,
    kIllegalAddress = 700,
    kLaunchOutOfResources = 701,
    kPeerAccessNotEnabled = 705,
    kAssert = 710,
    kHostMemoryAlreadyRegistered = 712,
    kHostMemoryNotRegistered = 713,
    kMisalignedAddress = 716,
    kLaunchFailure = 719,
    kCooperativeLaunchTooLarge = 720,
    kNotPermitted = 800,
    kNotSupported = 801,
    kStreamCaptureUnsupported = 900,
    kStreamCaptureUnmatched = 903,
};

/// Whether a CUDA context is lost after the error: then every later call gives the same error.
constexpr bool loses_device(std::int32_t error) {
    return error == kIllegalAddress || error == kAssert || error == kMisalignedAddress || error == kLaunchFailure;
}

}  // namespace lookahead::cudart
