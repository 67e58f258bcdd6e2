// The loop of looped.cu with vector memory instructions, as in Crago et al., listing 4: the diagonals' starts are strided,
// columns, values and factors indirect.
#include "../vector_rounds.cuh"
#include "../../../../workloads/spmv/kernel.cu"

template <int kLength>
__device__ inline void multiply(float* y, const float* data, const int* column, const int* permutation, const float* x,
                                const int* diagonal_at, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    in_rounds<kLength>(0, spmv_group_length[row / 32], 1, [&](auto count, int k) {
        const auto at = read_strided(count, diagonal_at + k, 1);
        const auto place = read_indirect(count, column + row, at);
        const auto value = read_indirect(count, data + row, at);
        const auto factor = read_indirect(count, x, place);
        each(count, [&](int u) { sum += value[u] * factor[u]; });
    });
    y[permutation[row]] = sum;
}

#define SPMV(length)                                                                                                   \
    extern "C" __global__ void spmv_jds_v##length(float* y, const float* data, const int* column,                      \
                                                  const int* permutation, const float* x, const int* diagonal_at,      \
                                                  int rows) {                                                          \
        multiply<length>(y, data, column, permutation, x, diagonal_at, rows);                                          \
    }
FOR_VECTOR_LENGTHS(SPMV)
