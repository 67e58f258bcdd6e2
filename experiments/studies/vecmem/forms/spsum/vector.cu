// The loop of looped.cu with vector memory instructions: a row's places are strided, its entries indirect.
#include "../vector_rounds.cuh"

template <int kLength>
__device__ inline void sum_row(float* sums, const float* entries, const int* places, const int* row_begin, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    in_rounds<kLength>(row_begin[row], row_begin[row + 1], 1, [&](auto count, int i) {
        const auto entry = read_indirect(count, entries, read_strided(count, places + i, 1));
        each(count, [&](int u) { sum += entry[u]; });
    });
    sums[row] = sum;
}

#define SPSUM(length)                                                                                                  \
    extern "C" __global__ void sparse_row_sums_v##length(float* sums, const float* entries, const int* places,         \
                                                         const int* row_begin, int rows) {                             \
        sum_row<length>(sums, entries, places, row_begin, rows);                                                       \
    }
FOR_VECTOR_LENGTHS(SPSUM)
