// The kernels of looped.cu with vector memory instructions: the rows' elements in the pivot's column, and the columns'
// elements of the pivot's row and of a thread's own, are strided.
#include "../vector_rounds.cuh"

template <int kLength>
__device__ inline void divide(float* multiplier, const float* a, int size, int column) {
    const int stride = gridDim.x * blockDim.x;
    const float pivot = a[size * column + column];
    const int first = size * (column + 1) + column;  // what is below the pivot
    in_rounds<kLength>(blockIdx.x * blockDim.x + threadIdx.x, size - 1 - column, stride, [&](auto count, int i) {
        const auto value = read_strided(count, a + first + size * i, size * stride);
        Words<float, count.value> quotient;
        each(count, [&](int u) { quotient[u] = value[u] / pivot; });
        write_strided(count, multiplier + first + size * i, size * stride, quotient);
    });
}

template <int kLength>
__device__ inline void subtract(const float* multiplier, float* a, float* b, int size, int column) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= size - 1 - column) return;
    const int row = column + 1 + i, stride = gridDim.y * blockDim.y;
    const float* const pivots = a + size * column + column;
    float* const mine = a + size * row + column;
    const float factor = multiplier[size * row + column];
    in_rounds<kLength>(first, size - column, stride, [&](auto count, int j) {
        const auto above = read_strided(count, pivots + j, stride), here = read_strided(count, mine + j, stride);
        Words<float, count.value> difference;
        each(count, [&](int u) { difference[u] = here[u] - factor * above[u]; });
        write_strided(count, mine + j, stride, difference);
    });
    if (first == 0) b[row] -= factor * b[column];
}

#define GAUSSIAN(length)                                                                                              \
    extern "C" __global__ void gaussian_fan1_v##length(float* multiplier, const float* a, int size, int column) {     \
        divide<length>(multiplier, a, size, column);                                                                  \
    }                                                                                                                 \
    extern "C" __global__ void gaussian_fan2_v##length(const float* multiplier, float* a, float* b, int size,         \
                                                       int column) {                                                  \
        subtract<length>(multiplier, a, b, size, column);                                                             \
    }
FOR_VECTOR_LENGTHS(GAUSSIAN)
