// Memory that is allocated and freed in a stream, and reused.
#include "check.h"

__global__ void write(int* cells, int value, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) cells[i] = value + i;
}

int main() {
    const int n = 256;
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    int results[n];
    for (int round = 0; round < 3; ++round) {
        int *cells, *other;
        CUDA_CHECK(cudaMallocAsync(&cells, n * sizeof(int), stream));
        CUDA_CHECK(cudaMallocAsync(&other, n * sizeof(int), stream));
        write<<<1, 64, 0, stream>>>(cells, 100 * round, n);
        CUDA_CHECK(cudaMemcpyAsync(other, cells, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
        CUDA_CHECK(cudaMemcpyAsync(results, other, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaFreeAsync(cells, stream));
        CUDA_CHECK(cudaFreeAsync(other, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; ++i) EXPECT(results[i] == 100 * round + i);
    }
    return finish("memory in a stream");
}
