// The device, its properties, and errors.
#include <cstdio>
#include <cstring>
#include <string>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

struct ErrorText {
    CudaError code;
    const char* name;
    const char* text;
};
constexpr ErrorText kErrors[] = {
    {kSuccess, "cudaSuccess", "no error"},
    {kInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {kMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {kInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {kInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {kInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {kInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {kInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {kNotReady, "cudaErrorNotReady", "device not ready"},
    {kIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {kLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const ErrorText& text_of(int code) {
    static constexpr ErrorText kUnknown{kSuccess, "cudaErrorUnknown", "unknown error"};
    for (const ErrorText& error : kErrors)
        if (error.code == code) return error;
    return kUnknown;
}

/// cudaDeviceProp of CUDA 13 has 1008 bytes; what is set here lies at these offsets.
constexpr std::size_t kPropertiesBytes = 1008;

template <class T>
void set(char* properties, std::size_t offset, T value) {
    std::memcpy(properties + offset, &value, sizeof value);
}

void fill_properties(char* properties) {
    std::memset(properties, 0, kPropertiesBytes);
    std::snprintf(properties, 256, "Lookahead");
    set(properties, 288, kMemoryBytes);                       // totalGlobalMem
    set(properties, 296, std::size_t{kSharedBytesPerBlock});  // sharedMemPerBlock
    set(properties, 304, kRegistersPerMultiprocessor);        // regsPerBlock
    set(properties, 308, 32);                                 // warpSize
    set(properties, 312, std::size_t{0x7fffffff});            // memPitch
    set(properties, 320, kMaxThreadsPerBlock);                // maxThreadsPerBlock
    const int block[3] = {1024, 1024, 64};                    // maxThreadsDim
    std::memcpy(properties + 324, block, sizeof block);
    const int grid[3] = {0x7fffffff, 65535, 65535};  // maxGridSize
    std::memcpy(properties + 336, grid, sizeof grid);
    set(properties, 352, std::size_t{kConstantBytes});                 // totalConstMem
    set(properties, 360, kCapabilityMajor);                            // major
    set(properties, 364, kCapabilityMinor);                            // minor
    set(properties, 368, std::size_t{512});                            // textureAlignment
    set(properties, 376, std::size_t{32});                             // texturePitchAlignment
    set(properties, 384, kMultiprocessors);                            // multiProcessorCount
    set(properties, 588, 1);                                           // unifiedAddressing
    set(properties, 592, kMemoryBusBits);                              // memoryBusWidth
    set(properties, 596, kL2Bytes);                                    // l2CacheSize
    set(properties, 604, kMaxThreadsPerMultiprocessor);                // maxThreadsPerMultiProcessor
    set(properties, 624, std::size_t{kSharedBytesPerMultiprocessor});  // sharedMemPerMultiprocessor
    set(properties, 632, kRegistersPerMultiprocessor);                 // regsPerMultiprocessor
    set(properties, 672, std::size_t{kSharedBytesPerBlock});           // sharedMemPerBlockOptin
    set(properties, 688, kMaxBlocksPerMultiprocessor);                 // maxBlocksPerMultiProcessor
}

/// cudaDeviceAttr's numbers.
struct Attribute {
    int number;
    int value;
};
constexpr Attribute kAttributes[] = {
    {1, kMaxThreadsPerBlock},
    {2, 1024},
    {3, 1024},
    {4, 64},
    {5, 0x7fffffff},
    {6, 65535},
    {7, 65535},
    {8, kSharedBytesPerBlock},
    {9, kConstantBytes},
    {10, 32},          // warp size
    {11, 0x7fffffff},  // pitch
    {12, kRegistersPerMultiprocessor},
    {13, 1'401'000},  // clock rate, kHz
    {14, 512},        // texture alignment
    {16, kMultiprocessors},
    {17, 0},        // kernel time-out
    {18, 0},        // integrated
    {19, 0},        // can map host memory
    {20, 0},        // compute mode
    {31, 0},        // concurrent kernels
    {32, 0},        // ECC
    {36, 924'000},  // memory clock rate, kHz
    {37, kMemoryBusBits},
    {38, kL2Bytes},
    {39, kMaxThreadsPerMultiprocessor},
    {40, 1},  // copy engines
    {41, 1},  // unified addressing
    {75, kCapabilityMajor},
    {76, kCapabilityMinor},
    {81, kSharedBytesPerMultiprocessor},
    {82, kRegistersPerMultiprocessor},
    {83, 0},  // managed memory
    {88, 0},  // pageable memory access
    {89, 0},  // concurrent managed access
    {95, 0},  // cooperative launch
    {97, kSharedBytesPerBlock},
    {106, kMaxBlocksPerMultiprocessor},
    {115, 0},  // memory pools
};

CudaError check_device(int device) {
    return device == 0 ? kSuccess : remember(kInvalidDevice);
}

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaGetLastError() {
    return last_error(true);
}
CudaError cudaPeekAtLastError() {
    return last_error(false);
}
const char* cudaGetErrorName(int code) {
    return text_of(code).name;
}
const char* cudaGetErrorString(int code) {
    return text_of(code).text;
}

CudaError cudaGetDeviceCount(int* count) {
    *count = 1;
    return kSuccess;
}
CudaError cudaGetDevice(int* device) {
    *device = 0;
    return kSuccess;
}
CudaError cudaSetDevice(int device) {
    return check_device(device);
}
CudaError cudaInitDevice(int device, unsigned, unsigned) {
    return check_device(device);
}
CudaError cudaSetDeviceFlags(unsigned) {
    return kSuccess;
}
CudaError cudaGetDeviceProperties(char* properties, int device) {
    const CudaError error = check_device(device);
    if (error == kSuccess) fill_properties(properties);
    return error;
}
CudaError cudaDeviceGetAttribute(int* value, int attribute, int device) {
    for (const Attribute& known : kAttributes) {
        if (known.number == attribute) {
            *value = known.value;
            return check_device(device);
        }
    }
    Connection::get().refuse("it asks for device attribute " + std::to_string(attribute) +
                             " (cudaDeviceGetAttribute), which is not supported");
}
CudaError cudaDriverGetVersion(int* version) {
    *version = 13000;
    return kSuccess;
}
CudaError cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return kSuccess;
}
/// Every call has completed when it returns; what is left is an error that lost the device.
CudaError cudaDeviceSynchronize() {
    return last_error(false) >= kIllegalAddress ? last_error(false) : kSuccess;
}
CudaError cudaProfilerStart() {
    return kSuccess;
}
CudaError cudaProfilerStop() {
    return kSuccess;
}

}  // extern "C"
