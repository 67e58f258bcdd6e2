// What a program may ask of a kernel and its device: attributes, limits, occupancy, versions, memory.
#include <cstring>

#include "check.h"

__global__ void __launch_bounds__(128) bounded(float* out) {
    __shared__ float cells[128];
    cells[threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = cells[127 - threadIdx.x];
}
__global__ void fill(float* out) {
    out[threadIdx.x] = 1;
}

int main() {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, bounded));
    EXPECT(attributes.sharedSizeBytes == 512);
    EXPECT(attributes.maxThreadsPerBlock == 128);
    EXPECT(attributes.numRegs > 0);
    float* out;
    CUDA_CHECK(cudaMalloc(&out, 1024 * sizeof(float)));
    bounded<<<1, 256>>>(out);
    EXPECT(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    fill<<<1, 2048>>>(out);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CUDA_CHECK(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1));

    cudaDeviceProp properties;
    int multiprocessors = 0, blocks = 0, least = 0, size = 0;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(properties.multiProcessorCount == multiprocessors && multiprocessors > 0);
    EXPECT(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
    EXPECT(std::strlen(properties.name) > 0);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    EXPECT(blocks > 0 && blocks * 256 <= properties.maxThreadsPerMultiProcessor);
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &size, fill));
    EXPECT(size >= 32 && size <= 1024 && least >= multiprocessors);
    EXPECT(cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);

    std::size_t left = 0, all = 0, before = 0, limit = 0;
    CUDA_CHECK(cudaMemGetInfo(&before, &all));
    float* more;
    CUDA_CHECK(cudaMalloc(&more, 1 << 20));
    CUDA_CHECK(cudaMemGetInfo(&left, &all));
    EXPECT(left == before - (1 << 20) && left < all);
    CUDA_CHECK(cudaFree(more));
    EXPECT(cudaMalloc(&more, all + 1) == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    CUDA_CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    EXPECT(limit == 1 << 21);
    int version = 0;
    CUDA_CHECK(cudaRuntimeGetVersion(&version));
    EXPECT(version >= 11000);
    fill<<<1, 1024>>>(out);
    float results[2];
    CUDA_CHECK(cudaMemcpy(results, out + 1022, sizeof results, cudaMemcpyDeviceToHost));
    EXPECT(results[0] == 1 && results[1] == 1);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
    return finish("attributes");
}
