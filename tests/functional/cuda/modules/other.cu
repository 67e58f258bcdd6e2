#include "../check.h"

namespace {
__constant__ int factor = -5;
__device__ int calls = 10;
}  // namespace

template <class T>
static __global__ void scale(T* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
    if (i == 0) calls += 1;
}
static __global__ void begin(int* values, int n) {
    if (static_cast<int>(threadIdx.x) < n) values[threadIdx.x] = 1000;
}

int from_other_file(int n, int* results) {
    int *values, count = 0, different = 0;
    CUDA_CHECK(cudaMalloc(&values, n * sizeof(int)));
    begin<<<1, 64>>>(values, n);
    scale<<<1, 64>>>(values, n);
    CUDA_CHECK(cudaMemcpy(results, values, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) different += results[i] != -5000;
    CUDA_CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    return different + (count != 11);
}
