// The kernels of kernel.cu, where the grid goes over rows (the multipliers) and over columns (the elimination) in strides of
// all its threads. What all elements of a thread need, the pivot or the row's multiplier, it reads once.
#include "../looped.cuh"

template <int kUnroll>
__device__ inline void divide(float* multiplier, const float* a, int size, int column) {
    const int stride = gridDim.x * blockDim.x;
    const float pivot = a[size * column + column];
    const int first = size * (column + 1) + column;  // what is below the pivot
    in_rounds<kUnroll>(blockIdx.x * blockDim.x + threadIdx.x, size - 1 - column, stride, [&](auto count, int i) {
        float value[count.value];
        each(count, [&](int u) { value[u] = a[first + size * (i + u * stride)]; });
        each(count, [&](int u) { multiplier[first + size * (i + u * stride)] = value[u] / pivot; });
    });
}

template <int kUnroll>
__device__ inline void subtract(const float* multiplier, float* a, float* b, int size, int column) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= size - 1 - column) return;
    const int row = column + 1 + i, stride = gridDim.y * blockDim.y;
    const float* const pivots = a + size * column + column;
    float* const mine = a + size * row + column;
    const float factor = multiplier[size * row + column];
    in_rounds<kUnroll>(first, size - column, stride, [&](auto count, int j) {
        float above[count.value], here[count.value];
        each(count, [&](int u) { above[u] = pivots[j + u * stride]; });
        each(count, [&](int u) { here[u] = mine[j + u * stride]; });
        each(count, [&](int u) { mine[j + u * stride] = here[u] - factor * above[u]; });
    });
    if (first == 0) b[row] -= factor * b[column];
}

#define GAUSSIAN(unroll)                                                                                              \
    extern "C" __global__ void gaussian_fan1_##unroll(float* multiplier, const float* a, int size, int column) {      \
        divide<unroll>(multiplier, a, size, column);                                                                  \
    }                                                                                                                 \
    extern "C" __global__ void gaussian_fan2_##unroll(const float* multiplier, float* a, float* b, int size,          \
                                                      int column) {                                                   \
        subtract<unroll>(multiplier, a, b, size, column);                                                             \
    }
FOR_UNROLL_FACTORS(GAUSSIAN)
