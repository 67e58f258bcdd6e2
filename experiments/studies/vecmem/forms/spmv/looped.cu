// y = A x in the format of kernel.cu, as Crago et al. write it (listing 3): the loop over a row's entries is unrolled, an
// entry is not asked for a round ahead, and the diagonals' starts are in global memory, for the vector memory
// instructions know no other but shared memory.
#include "../looped.cuh"
#include "../../../../workloads/spmv/kernel.cu"

template <int kUnroll>
__device__ inline void multiply(float* y, const float* data, const int* column, const int* permutation, const float* x,
                                const int* diagonal_at, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    in_rounds<kUnroll>(0, spmv_group_length[row / 32], 1, [&](auto count, int k) {
        int at[count.value], place[count.value];
        float value[count.value], factor[count.value];
        each(count, [&](int u) { at[u] = diagonal_at[k + u] + row; });
        each(count, [&](int u) { place[u] = column[at[u]]; });
        each(count, [&](int u) { value[u] = data[at[u]]; });
        each(count, [&](int u) { factor[u] = x[place[u]]; });
        each(count, [&](int u) { sum += value[u] * factor[u]; });
    });
    y[permutation[row]] = sum;
}

#define SPMV(unroll)                                                                                                  \
    extern "C" __global__ void spmv_jds_##unroll(float* y, const float* data, const int* column,                      \
                                                 const int* permutation, const float* x, const int* diagonal_at,      \
                                                 int rows) {                                                          \
        multiply<unroll>(y, data, column, permutation, x, diagonal_at, rows);                                         \
    }
FOR_UNROLL_FACTORS(SPMV)
