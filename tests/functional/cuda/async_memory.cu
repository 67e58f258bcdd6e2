// Memory that is allocated and freed in a stream, from the device's pool and from one of the program's own, and reused.
#include "check.h"

__global__ void write(int* cells, int value, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) cells[i] = value + i;
}

int main() {
    const int n = 256;
    cudaStream_t stream;
    cudaMemPool_t pool, found;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    unsigned long long threshold = 1 << 20, kept = 0;
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    EXPECT(kept == threshold);
    CUDA_CHECK(cudaDeviceGetMemPool(&found, 0));
    EXPECT(found != pool);
    cudaMemAccessDesc access{properties.location, cudaMemAccessFlagsProtReadWrite};
    CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
    CUDA_CHECK(cudaStreamCreate(&stream));
    int results[n];
    for (int round = 0; round < 3; ++round) {
        int *cells, *other;
        CUDA_CHECK(cudaMallocAsync(&cells, n * sizeof(int), stream));
        CUDA_CHECK(cudaMallocFromPoolAsync(&other, n * sizeof(int), pool, stream));
        write<<<1, 64, 0, stream>>>(cells, 100 * round, n);
        CUDA_CHECK(cudaMemcpyAsync(other, cells, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
        CUDA_CHECK(cudaMemcpyAsync(results, other, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaFreeAsync(cells, stream));
        CUDA_CHECK(cudaFreeAsync(other, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; ++i) EXPECT(results[i] == 100 * round + i);
    }
    CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
    return finish("memory in a stream");
}
