// Relocatable device code: kernels, functions, variables, constants and managed memory of one part that another one uses.
#include <cstdio>
#include <vector>

#include "../check.h"
#include "parts.cuh"

static __device__ __noinline__ float twice(float x) { return x + x; }

__global__ void areas(float* values, int* numbers, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    values[i] = twice(area({static_cast<float>(i), 3})) / 2;
    if (threadIdx.x == 0) atomicAdd(&seen, 1);
    if (i == 0) *numbers = next_number() + next_number();
}

int main() {
    constexpr int kCount = 200;
    float* values;
    int* numbers;
    CUDA_CHECK(cudaMalloc(&values, kCount * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&numbers, sizeof(int)));
    const float shift = 0.5f;
    CUDA_CHECK(cudaMemcpyToSymbol(offset, &shift, sizeof shift));
    seen = 10;
    areas<<<4, 64>>>(values, numbers, kCount);
    scale<<<4, 64>>>(values, kCount);
    areas<<<1, 32>>>(values, numbers, 1);
    CUDA_CHECK(cudaDeviceSynchronize());

    std::vector<float> found(kCount);
    int found_calls = 0, number = 0;
    CUDA_CHECK(cudaMemcpy(found.data(), values, kCount * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpyFromSymbol(&found_calls, calls, sizeof found_calls));
    CUDA_CHECK(cudaMemcpy(&number, numbers, sizeof number, cudaMemcpyDeviceToHost));
    for (int i = 1; i < kCount; ++i) EXPECT(found[i] == 3.0f * i * (i % 4 + 1) + 0.5f);
    EXPECT(found_calls == kCount + 1);
    EXPECT(seen == 10 + 4 + 1);
    EXPECT(number == 3 + 4);
    return finish("relocatable device code");
}
