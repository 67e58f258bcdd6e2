// The device, its properties and limits.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/device_properties.h"

namespace lookahead::cudart {

namespace {

constexpr int kWarpSize = 32;
constexpr int kConstantBytes = 64 * 1024;
constexpr int kGridX = 0x7fffffff, kGridYz = 65535;

int signed_of(std::uint32_t value) {
    return static_cast<int>(value);
}

/// Fills the members common to all versions of cudaDeviceProp. Limits of textures are those of capability 7.5 in the
/// CUDA C++ Programming Guide's table of technical specifications.
template <int kMajor>
void fill_common(Properties<kMajor>& p) {
    const DeviceInformation& device = device_information();
    std::snprintf(p.name, sizeof p.name, "%s", device.name);
    p.totalGlobalMem = device.memory_bytes;
    p.sharedMemPerBlock = std::min(device.shared_bytes_per_block, kSharedBytesByDefault);
    p.regsPerBlock = signed_of(device.registers_per_multiprocessor);
    p.warpSize = kWarpSize;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = signed_of(kMaxThreadsPerBlock);
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = kGridX;
    p.maxGridSize[1] = p.maxGridSize[2] = kGridYz;
    p.totalConstMem = kConstantBytes;
    p.major = kCapabilityMajor;
    p.minor = kCapabilityMinor;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.multiProcessorCount = signed_of(device.multiprocessors);
    p.canMapHostMemory = 1;
    p.maxTexture1D = 131072;
    p.maxTexture2D[0] = 131072;
    p.maxTexture2D[1] = 65536;
    p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 16384;
    p.surfaceAlignment = 512;
    p.concurrentKernels = 1;
    p.asyncEngineCount = 1;
    p.unifiedAddressing = 1;
    p.memoryBusWidth = signed_of(device.memory_bus_bits);
    p.l2CacheSize = signed_of(device.l2_bytes);
    p.maxThreadsPerMultiProcessor = signed_of(device.threads_per_multiprocessor);
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = device.shared_bytes_per_multiprocessor;
    p.regsPerMultiprocessor = signed_of(device.registers_per_multiprocessor);
    p.managedMemory = 1;
    p.cooperativeLaunch = 1;
    p.maxBlocksPerMultiProcessor = signed_of(device.blocks_per_multiprocessor);
    p.sharedMemPerBlockOptin = device.shared_bytes_per_block;
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
}

Properties12 properties12() {
    Properties12 p{};
    fill_common(p);
    p.clockRate = signed_of(device_information().clock_kilohertz);
    p.memoryClockRate = signed_of(device_information().memory_clock_kilohertz);
    p.deviceOverlap = 1;
    p.singleToDoublePrecisionPerfRatio = 32;
    return p;
}

/// Attributes with one value on every machine: cudaDeviceAttr's numbers, by value. Limits of textures and surfaces are
/// those of capability 7.5 in the CUDA C++ Programming Guide, but 0 for cube maps and mipmaps, which are not supported.
struct FixedAttributes {
    int value;
    std::initializer_list<int> attributes;
};
constexpr FixedAttributes kFixedAttributes[] = {
    {static_cast<int>(kMaxThreadsPerBlock), {1}},
    {1024, {2, 3}},
    {64, {4}},
    {kGridX, {5, 11}},  // greatest pitch
    {kGridYz, {6, 7}},
    {kConstantBytes, {9}},
    {kWarpSize, {10}},
    {512, {14, 30}},  // texture and surface alignment
    {32, {51, 87}},   // texture pitch alignment, single to double precision
    {kCapabilityMajor, {75}},
    {kCapabilityMinor, {76}},
    {131072, {21, 22, 56, 70}},  // 1D textures; width of 2D textures, also on pitched memory, and of 2D surfaces
    {65536, {23, 57}},           // height of 2D textures and surfaces
    {65000, {71}},               // height of 2D textures on pitched memory
    {2097120, {72}},             // and their pitch
    {1 << 28, {69}},             // 1D textures on linear memory
    // Layered 2D and 1D textures, gathers, 1D surfaces, layered 1D and 2D surfaces.
    {32768, {27, 28, 42, 45, 46, 55, 61, 63, 64}},
    {16384, {24, 25, 26, 47, 48, 49, 58, 59, 60}},  // 3D textures and surfaces; the alternate shape is the same
    {2048, {29, 43, 62, 65}},                       // layers
    {0, {52, 53, 54, 66, 67, 68, 73, 74, 77}},      // cube maps, mipmaps
    {-1, {131, 134}},                               // NUMA nodes of the GPU's memory, of its host: none
    {1,
     {15,      // copies beside kernels
      19,      // can map host memory
      31,      // concurrent kernels
      40,      // copy engines
      41,      // unified addressing
      78,      // stream priorities
      79, 80,  // L1 for global memory, for local memory
      83,      // managed memory
      95,      // cooperative launch
      99,      // host memory can be registered
      115,     // memory pools
      126}},   // domains of memory synchronisation
    {0,
     {17,             // kernel time-out
      18,             // integrated
      20,             // compute mode: default
      32,             // ECC
      33,  34,  50,   // PCI bus, device, domain
      35,             // TCC
      84,  85,        // board with several GPUs, its number
      86,             // atomics of the host on device memory
      88,             // pageable memory access
      89,             // concurrent managed access
      90,             // compute preemption
      91,             // registered memory at the host's address
      96,             // cooperative launch on several devices
      98,             // flush of remote writes
      100,            // host page tables
      101,            // direct access to managed memory from the host
      108,            // persisting L2
      109,            // access policy window
      111,            // reserved shared memory
      112,            // sparse arrays
      113,            // read-only registration
      114,            // timeline semaphores of other programs
      116, 117, 118,  // GPUDirect RDMA
      119,            // handles of memory pools for other processes
      120,            // clusters
      121,            // arrays that are mapped later
      125,            // events for other processes
      130,            // NUMA: none
      133,            // MPS
      135, 138,       // interoperation with Direct3D 12, Vulkan
      139, 140,       // PCI device, subsystem
      142, 143, 144,  // memory pools on the host
      147}},          // some atomics of the host on device memory
};

/// Attributes that the machine decides.
struct MachineAttribute {
    int attribute;
    std::uint32_t DeviceInformation::*value;
};
constexpr MachineAttribute kMachineAttributes[] = {
    {12, &DeviceInformation::registers_per_multiprocessor},  // of a block
    {13, &DeviceInformation::clock_kilohertz},
    {16, &DeviceInformation::multiprocessors},
    {36, &DeviceInformation::memory_clock_kilohertz},
    {37, &DeviceInformation::memory_bus_bits},
    {38, &DeviceInformation::l2_bytes},
    {39, &DeviceInformation::threads_per_multiprocessor},
    {81, &DeviceInformation::shared_bytes_per_multiprocessor},
    {82, &DeviceInformation::registers_per_multiprocessor},
    {97, &DeviceInformation::shared_bytes_per_block},
    {106, &DeviceInformation::blocks_per_multiprocessor},
};

/// Empty if there is no such attribute.
std::optional<int> attribute_value(int attribute) {
    constexpr int kSharedBytesOfBlock = 8;
    const DeviceInformation& device = device_information();
    for (const auto& [value, attributes] : kFixedAttributes) {
        if (std::ranges::find(attributes, attribute) != attributes.end()) { return value; }
    }
    if (attribute == kSharedBytesOfBlock) {
        return signed_of(std::min(device.shared_bytes_per_block, kSharedBytesByDefault));
    }
    const auto* const found = std::ranges::find(kMachineAttributes, attribute, &MachineAttribute::attribute);
    return found == std::end(kMachineAttributes) ? std::nullopt : std::optional(signed_of(device.*found->value));
}

CudaError check_device(int device) {
    return device == 0 ? kSuccess : remember(kInvalidDevice);
}

/// By cudaLimit: stack, printf's buffer, heap; then those of dynamic parallelism and L2. The defaults are CUDA's.
std::array<std::size_t, 7> limits{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

unsigned device_flags = 0;

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaGetDeviceCount(int* count) {
    return give(count, 1);
}
CudaError cudaGetDevice(int* device) {
    return give(device, 0);
}
CudaError cudaSetDevice(int device) {
    return check_device(device);
}
CudaError cudaChooseDevice(int* device, const void*) {
    *device = 0;
    return kSuccess;
}
CudaError cudaInitDevice(int device, unsigned, unsigned) {
    return check_device(device);
}
CudaError cudaSetDeviceFlags(unsigned flags) {
    device_flags = flags;
    return kSuccess;
}
CudaError cudaGetDeviceFlags(unsigned* flags) {
    *flags = device_flags;
    return kSuccess;
}
CudaError cudaGetDeviceProperties_v2(Properties12* properties, int device) {
    const CudaError error = check_device(device);
    if (error == kSuccess) { *properties = properties12(); }
    return error;
}
/// CUDA 12 uses the name above for its own version; CUDA 11 has this name.
CudaError cudaGetDeviceProperties(void* properties, int device) {
    const CudaError error = check_device(device);
    if (error != kSuccess) { return error; }
    if (kRuntimeMajor >= 13) {
        Properties13 p{};
        fill_common(p);
        std::memcpy(properties, &p, sizeof p);
    } else {
        const Properties12 p = properties12();
        std::memcpy(properties, &p, offsetof(Properties12, reservedSharedMemPerBlock));
    }
    return kSuccess;
}
CudaError cudaDeviceGetAttribute(int* value, int attribute, int device) {
    if (value == nullptr) { return remember(kInvalidValue); }
    if (check_device(device) != kSuccess) { return kInvalidDevice; }
    const std::optional<int> found = attribute_value(attribute);
    if (!found) { return remember(kInvalidValue); }
    *value = *found;
    return kSuccess;
}
CudaError cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
    const CudaError error = check_device(device);
    if (error == kSuccess) { std::snprintf(text, static_cast<std::size_t>(bytes), "0000:00:00.0"); }
    return error;
}
CudaError cudaDeviceGetByPCIBusId(int* device, const char* text) {
    if (std::strcmp(text, "0000:00:00.0") != 0) { return remember(kInvalidDevice); }
    *device = 0;
    return kSuccess;
}
CudaError cudaDeviceGetLimit(std::size_t* value, unsigned limit) {
    if (value == nullptr) { return remember(kInvalidValue); }
    if (limit >= limits.size()) { return remember(kUnsupportedLimit); }
    *value = limits[limit];
    return kSuccess;
}
CudaError cudaDeviceSetLimit(unsigned limit, std::size_t value) {
    constexpr unsigned kHeap = 2;
    constexpr std::size_t kHeapBytes = 128 << 20;  // frontend/ptx/device_library/heap.cu
    if (limit >= limits.size()) { return remember(kUnsupportedLimit); }
    limits[limit] = value;  // they limit nothing here
    if (limit == kHeap && value > kHeapBytes) {
        Connection::get().note("it asks for " + std::to_string(value) + " bytes for malloc in kernels, which have " +
                               std::to_string(kHeapBytes) + " here");
    }
    return kSuccess;
}
CudaError cudaDeviceGetCacheConfig(int* preference) {
    *preference = 0;
    return kSuccess;
}
CudaError cudaDeviceGetSharedMemConfig(int* bank_bytes) {
    *bank_bytes = 1;  // cudaSharedMemBankSizeFourByte
    return kSuccess;
}
CudaError cudaDeviceReset() {
    return error_of(Connection::get().call({.operation = Operation::reset}));
}

/// CUDA's names for these before 12.
LOOKAHEAD_SECOND_NAME(cudaDeviceReset, cudaThreadExit)
LOOKAHEAD_SECOND_NAME(cudaDeviceGetLimit, cudaThreadGetLimit)
LOOKAHEAD_SECOND_NAME(cudaDeviceSetLimit, cudaThreadSetLimit)
LOOKAHEAD_SECOND_NAME(cudaDeviceGetCacheConfig, cudaThreadGetCacheConfig)

/// There is only one device, which has no peers.
CudaError cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = 0;
    return check_device(device) == kSuccess ? check_device(peer) : kInvalidDevice;
}
CudaError cudaDeviceGetP2PAttribute(int* value, int, int, int) {
    return remember(value == nullptr ? kInvalidValue : kInvalidDevice);
}
CudaError cudaDeviceEnablePeerAccess(int, unsigned) {
    return remember(kInvalidDevice);
}
CudaError cudaDeviceDisablePeerAccess(int) {
    return remember(kPeerAccessNotEnabled);
}

CudaError cudaDriverGetVersion(int* version) {
    return give(version, kRuntimeMajor * 1000);
}
LOOKAHEAD_SECOND_NAME(cudaDriverGetVersion, cudaRuntimeGetVersion)

}  // extern "C"
