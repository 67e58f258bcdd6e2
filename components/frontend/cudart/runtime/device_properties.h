#pragma once

#include <cstddef>
#include <type_traits>

namespace lookahead::cudart {

/// A member that CUDA 13 no longer has: it takes no room there. `kPlace` makes the types of such members different,
/// because members of one type cannot share an address.
template <int kMajor, int kPlace>
using Until12 = std::conditional_t<kMajor <= 12, int, std::integral_constant<int, kPlace>>;

/// cudaDeviceProp with CUDA's member names (CUDA Runtime API reference), of CUDA 12 or 13; CUDA 11's is the beginning
/// of CUDA 12's.
template <int kMajor>
struct Properties {
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    [[no_unique_address]] Until12<kMajor, 0> clockRate;
    std::size_t totalConstMem;
    int major;
    int minor;
    std::size_t textureAlignment;
    std::size_t texturePitchAlignment;
    [[no_unique_address]] Until12<kMajor, 1> deviceOverlap;
    int multiProcessorCount;
    [[no_unique_address]] Until12<kMajor, 2> kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    [[no_unique_address]] Until12<kMajor, 3> computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    [[no_unique_address]] Until12<kMajor, 4> maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    [[no_unique_address]] Until12<kMajor, 5> memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    [[no_unique_address]] Until12<kMajor, 6> singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    [[no_unique_address]] Until12<kMajor, 7> cooperativeMultiDeviceLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved[63];  ///< CUDA 13 has names for the first seven
};
using Properties12 = Properties<12>;
using Properties13 = Properties<13>;
static_assert(sizeof(Properties12) == 1032 && sizeof(Properties13) == 1008);

}  // namespace lookahead::cudart
