// Variables of the device and constants: initial values, copies to and from them, their addresses and sizes.
#include "check.h"

__device__ int counter = 5;
__device__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ int weights[4] = {1, 10, 100, 1000};
__device__ float* indirect;

__global__ void use(int n) {
    if (static_cast<int>(threadIdx.x) >= n) return;
    atomicAdd(&counter, weights[threadIdx.x % 4]);
    indirect[threadIdx.x % 8] += 0.5f;
}

int main() {
    int weight[4] = {2, 3, 4, 5}, last = 7, count = 0;
    float values[8];
    float* address;
    std::size_t bytes = 0;
    CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), table));
    CUDA_CHECK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == sizeof values);
    CUDA_CHECK(cudaMemcpyToSymbol(indirect, &address, sizeof address));
    use<<<1, 32>>>(4);
    CUDA_CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT(count == 5 + 1111);
    CUDA_CHECK(cudaMemcpyToSymbol(weights, weight, sizeof weight));
    CUDA_CHECK(cudaMemcpyToSymbol(weights, &last, sizeof last, 3 * sizeof last, cudaMemcpyHostToDevice));
    use<<<1, 32>>>(4);
    CUDA_CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT(count == 5 + 1111 + 2 + 3 + 4 + 7);
    CUDA_CHECK(cudaMemcpy(values, address, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; ++i) EXPECT(values[i] == static_cast<float>(i + 1) + (i < 4 ? 1.0f : 0.0f));
    EXPECT(cudaMemcpyToSymbol(weights, weight, 5 * sizeof last) != cudaSuccess);
    EXPECT(cudaGetLastError() != cudaSuccess);
    return finish("symbols");
}
