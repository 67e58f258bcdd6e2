#include "parts.cuh"

__device__ int calls;
__device__ float factors[4] = {1, 2, 3, 4};
__constant__ float offset;
__managed__ int seen;
static __device__ float twice(float x) { return 2 * x; }

__device__ __noinline__ float area(const Shape& shape) {
    atomicAdd(&calls, 1);
    return twice(shape.width) * shape.height / 2;
}

__global__ void scale(float* values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = values[i] * factors[i % 4] + offset;
    if (i == 0) next_number();
}
