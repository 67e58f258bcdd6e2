// The device, its properties and limits.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
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

/// What all versions of cudaDeviceProp have. Limits of textures are those of capability 7.5 in the CUDA C++ Programming
/// Guide's table of technical specifications.
template <class Properties>
void fill_common(Properties& p) {
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
}
template <class Properties>
void fill_newer(Properties& p) {
    p.sharedMemPerBlockOptin = device_information().shared_bytes_per_block;
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
}

Properties12 properties12() {
    Properties12 p{};
    fill_common(p);
    fill_newer(p);
    p.clockRate = signed_of(device_information().clock_kilohertz);
    p.memoryClockRate = signed_of(device_information().memory_clock_kilohertz);
    p.deviceOverlap = 1;
    p.singleToDoublePrecisionPerfRatio = 32;
    return p;
}

/// cudaDevAttrMaxTexture... and cudaDevAttrMaxSurface...: limits of capability 7.5 in the CUDA C++ Programming Guide;
/// nothing of cube maps and mipmaps, which are not supported.
std::optional<int> image_limit(int attribute) {
    switch (attribute) {
        case 21:  // 1D textures; width of 2D textures, also on pitched memory
        case 22:
        case 56:  // width of 2D surfaces
        case 70:
            return 131072;
        case 23:  // height of 2D textures and surfaces
        case 57:
            return 65536;
        case 71:  // height of 2D textures on pitched memory
            return 65000;
        case 72:  // and their pitch
            return 2097120;
        case 69:  // 1D textures on linear memory
            return 1 << 28;
        case 27:  // layered 2D and 1D textures, gathers, 1D surfaces, layered 1D and 2D surfaces
        case 28:
        case 42:
        case 45:
        case 46:
        case 55:
        case 61:
        case 63:
        case 64:
            return 32768;
        case 24:  // 3D textures and surfaces; the alternate shape is the same
        case 25:
        case 26:
        case 47:
        case 48:
        case 49:
        case 58:
        case 59:
        case 60:
            return 16384;
        case 29:  // layers
        case 43:
        case 62:
        case 65:
            return 2048;
        case 52:  // cube maps, mipmaps
        case 53:
        case 54:
        case 66:
        case 67:
        case 68:
        case 73:
        case 74:
        case 77:
            return 0;
        default:
            return std::nullopt;
    }
}

/// cudaDeviceAttr's numbers. False: none of them.
bool attribute_value(int attribute, int& value) {
    const DeviceInformation& device = device_information();
    if (const std::optional<int> limit = image_limit(attribute)) {
        value = *limit;
        return true;
    }
    switch (attribute) {
        case 1:
            value = signed_of(kMaxThreadsPerBlock);
            return true;
        case 2:
        case 3:
            value = 1024;
            return true;
        case 4:
            value = 64;
            return true;
        case 5:
        case 11:  // greatest pitch
            value = kGridX;
            return true;
        case 6:
        case 7:
            value = kGridYz;
            return true;
        case 8:
            value = signed_of(std::min(device.shared_bytes_per_block, kSharedBytesByDefault));
            return true;
        case 9:
            value = kConstantBytes;
            return true;
        case 10:
            value = kWarpSize;
            return true;
        case 12:  // registers of a block, of a multiprocessor
        case 82:
            value = signed_of(device.registers_per_multiprocessor);
            return true;
        case 13:
            value = signed_of(device.clock_kilohertz);
            return true;
        case 14:  // texture and surface alignment
        case 30:
            value = 512;
            return true;
        case 16:
            value = signed_of(device.multiprocessors);
            return true;
        case 36:
            value = signed_of(device.memory_clock_kilohertz);
            return true;
        case 37:
            value = signed_of(device.memory_bus_bits);
            return true;
        case 38:
            value = signed_of(device.l2_bytes);
            return true;
        case 39:
            value = signed_of(device.threads_per_multiprocessor);
            return true;
        case 51:
            value = 32;  // texture pitch alignment
            return true;
        case 75:
            value = kCapabilityMajor;
            return true;
        case 76:
            value = kCapabilityMinor;
            return true;
        case 81:
            value = signed_of(device.shared_bytes_per_multiprocessor);
            return true;
        case 87:
            value = 32;  // single to double precision
            return true;
        case 97:
            value = signed_of(device.shared_bytes_per_block);
            return true;
        case 106:
            value = signed_of(device.blocks_per_multiprocessor);
            return true;
        case 15:  // copies beside kernels
        case 19:  // can map host memory
        case 31:  // concurrent kernels
        case 40:  // copy engines
        case 41:  // unified addressing
        case 78:  // stream priorities
        case 79:  // L1 for global memory, for local memory
        case 80:
        case 83:   // managed memory
        case 95:   // cooperative launch
        case 99:   // host memory can be registered
        case 115:  // memory pools
            value = 1;
            return true;
        case 17:  // kernel time-out
        case 18:  // integrated
        case 20:  // compute mode: default
        case 32:  // ECC
        case 33:  // PCI bus, device, domain
        case 34:
        case 50:
        case 35:  // TCC
        case 84:  // board with several GPUs, its number
        case 85:
        case 86:   // atomics of the host on device memory
        case 88:   // pageable memory access
        case 89:   // concurrent managed access
        case 90:   // compute preemption
        case 91:   // registered memory at the host's address
        case 96:   // cooperative launch on several devices
        case 98:   // flush of remote writes
        case 100:  // host page tables
        case 101:  // direct access to managed memory from the host
        case 108:  // persisting L2
        case 109:  // access policy window
        case 111:  // reserved shared memory
        case 112:  // sparse arrays
        case 113:  // read-only registration
        case 114:  // timeline semaphores of other programs
        case 116:  // GPUDirect RDMA
        case 117:
        case 118:
        case 119:  // handles of memory pools for other processes
        case 120:  // clusters
        case 121:  // arrays that are mapped later
        case 125:  // events for other processes
        case 130:  // NUMA: none
        case 133:  // MPS
        case 135:  // interoperation with Direct3D 12, Vulkan
        case 138:
        case 139:  // PCI device, subsystem
        case 140:
        case 142:  // memory pools on the host
        case 143:
        case 144:
        case 147:  // some atomics of the host on device memory
            value = 0;
            return true;
        case 126:  // domains of memory synchronisation
            value = 1;
            return true;
        case 131:  // NUMA nodes of the GPU's memory, of its host: none
        case 134:
            value = -1;
            return true;
        default:
            return false;
    }
}

CudaError check_device(int device) {
    return device == 0 ? kSuccess : remember(kInvalidDevice);
}

/// cudaLimit: stack, printf's buffer, heap; then those of dynamic parallelism and L2. The defaults are CUDA's.
std::array<std::size_t, 7> limits{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

unsigned device_flags = 0;

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaGetDeviceCount(int* count) {
    if (count == nullptr) return remember(kInvalidValue);
    *count = 1;
    return kSuccess;
}
CudaError cudaGetDevice(int* device) {
    if (device == nullptr) return remember(kInvalidValue);
    *device = 0;
    return kSuccess;
}
CudaError cudaSetDevice(int device) {
    return check_device(device);
}
CudaError cudaSetValidDevices(int*, int) {
    return kSuccess;
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
    if (error == kSuccess) *properties = properties12();
    return error;
}
/// CUDA 12 has its own under the name above, and CUDA 11's under this one.
CudaError cudaGetDeviceProperties(void* properties, int device) {
    const CudaError error = check_device(device);
    if (error != kSuccess) return error;
    if (kRuntimeMajor >= 13) {
        Properties13 p{};
        fill_common(p);
        fill_newer(p);
        std::memcpy(properties, &p, sizeof p);
    } else {
        const Properties12 p = properties12();
        std::memcpy(properties, &p, offsetof(Properties12, reservedSharedMemPerBlock));
    }
    return kSuccess;
}
CudaError cudaDeviceGetAttribute(int* value, int attribute, int device) {
    if (value == nullptr) return remember(kInvalidValue);
    if (check_device(device) != kSuccess) return kInvalidDevice;
    return attribute_value(attribute, *value) ? kSuccess : remember(kInvalidValue);
}
CudaError cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
    const CudaError error = check_device(device);
    if (error == kSuccess) std::snprintf(text, static_cast<std::size_t>(bytes), "0000:00:00.0");
    return error;
}
CudaError cudaDeviceGetByPCIBusId(int* device, const char* text) {
    if (std::strcmp(text, "0000:00:00.0") != 0) return remember(kInvalidDevice);
    *device = 0;
    return kSuccess;
}
CudaError cudaDeviceGetLimit(std::size_t* value, unsigned limit) {
    if (value == nullptr) return remember(kInvalidValue);
    if (limit >= limits.size()) return remember(kUnsupportedLimit);
    *value = limits[limit];
    return kSuccess;
}
CudaError cudaDeviceSetLimit(unsigned limit, std::size_t value) {
    constexpr unsigned kHeap = 2;
    constexpr std::size_t kHeapBytes = 128 << 20;  // frontend/ptx/device_library/heap.cu
    if (limit >= limits.size()) return remember(kUnsupportedLimit);
    limits[limit] = value;  // nothing here is bounded by them
    if (limit == kHeap && value > kHeapBytes)
        Connection::get().note("it asks for " + std::to_string(value) + " bytes for malloc in kernels, which have " +
                               std::to_string(kHeapBytes) + " here");
    return kSuccess;
}
/// Hints about caches and banks, without effect on results.
CudaError cudaDeviceSetCacheConfig(int) {
    return kSuccess;
}
CudaError cudaDeviceGetCacheConfig(int* preference) {
    *preference = 0;
    return kSuccess;
}
CudaError cudaDeviceSetSharedMemConfig(int) {
    return kSuccess;
}
CudaError cudaDeviceGetSharedMemConfig(int* bank_bytes) {
    *bank_bytes = 1;  // cudaSharedMemBankSizeFourByte
    return kSuccess;
}
CudaError cudaCtxResetPersistingL2Cache() {
    return kSuccess;
}
CudaError cudaDeviceReset() {
    return error_of(Connection::get().call({.operation = Operation::reset}));
}

/// The names that CUDA had for these until 12.
CudaError cudaThreadExit() {
    return cudaDeviceReset();
}
CudaError cudaThreadGetLimit(std::size_t* value, unsigned limit) {
    return cudaDeviceGetLimit(value, limit);
}
CudaError cudaThreadSetLimit(unsigned limit, std::size_t value) {
    return cudaDeviceSetLimit(limit, value);
}
CudaError cudaThreadGetCacheConfig(int* preference) {
    return cudaDeviceGetCacheConfig(preference);
}
CudaError cudaThreadSetCacheConfig(int preference) {
    return cudaDeviceSetCacheConfig(preference);
}
/// Devices without double precision had these to convert numbers; CUDA has left them without effect.
CudaError cudaSetDoubleForDevice(double*) {
    return kSuccess;
}
CudaError cudaSetDoubleForHost(double*) {
    return kSuccess;
}

/// There is one device, which is nobody's peer.
CudaError cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = 0;
    return check_device(device) == kSuccess ? check_device(peer) : kInvalidDevice;
}
/// There are no two devices between which there could be anything.
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
    if (version == nullptr) return remember(kInvalidValue);
    *version = kRuntimeMajor * 1000;
    return kSuccess;
}
CudaError cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return remember(kInvalidValue);
    *version = kRuntimeMajor * 1000;
    return kSuccess;
}
CudaError cudaProfilerStart() {
    return kSuccess;
}
CudaError cudaProfilerStop() {
    return kSuccess;
}

}  // extern "C"
