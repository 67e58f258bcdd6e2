// The kernel of kernel.cu, which goes over a row's places in its loop as it is, with that loop unrolled.
#include "../looped.cuh"

template <int kUnroll>
__device__ inline void sum_row(float* sums, const float* entries, const int* places, const int* row_begin, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    in_rounds<kUnroll>(row_begin[row], row_begin[row + 1], 1, [&](auto count, int i) {
        int place[count.value];
        float entry[count.value];
        each(count, [&](int u) { place[u] = places[i + u]; });
        each(count, [&](int u) { entry[u] = entries[place[u]]; });
        each(count, [&](int u) { sum += entry[u]; });
    });
    sums[row] = sum;
}

#define SPSUM(unroll)                                                                                                  \
    extern "C" __global__ void sparse_row_sums_##unroll(float* sums, const float* entries, const int* places,          \
                                                        const int* row_begin, int rows) {                              \
        sum_row<unroll>(sums, entries, places, row_begin, rows);                                                       \
    }
FOR_UNROLL_FACTORS(SPSUM)
