// Two files whose kernels, constants and functions have the same names; each has its own.
#include "../check.h"

int from_other_file(int n, int* results);

namespace {
__constant__ int factor = 3;
__device__ int calls = 0;
}  // namespace

template <class T>
__global__ void scale(T* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
    if (i == 0) calls += 1;
}
static __global__ void begin(int* values, int n) {
    if (static_cast<int>(threadIdx.x) < n) values[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
    const int n = 50;
    int *values, results[n], count = 0;
    CUDA_CHECK(cudaMalloc(&values, sizeof results));
    begin<<<1, 64>>>(values, n);
    scale<<<1, 64>>>(values, n);
    CUDA_CHECK(cudaMemcpy(results, values, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(results[i] == 3 * i);
    wrong += from_other_file(n, results);
    CUDA_CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    EXPECT(count == 1);
    return finish("modules");
}
