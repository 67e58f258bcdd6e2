// The stencil of kernel.cu with its two loops over a block's cells unrolled: that which brings them to shared memory, and
// that which makes them, where a round's neighbours are all read before the first of its cells is written.
#include "../looped.cuh"
#include "../../../../workloads/miniamr/kernel.cu"

template <int kUnroll>
__device__ inline void make_cells(float* cells, const float* halos) {
    __shared__ float cache[kCells];
    const int which = blockIdx.x * gridDim.y + blockIdx.y;
    float* const mine = cells + which * kCells;
    const float* const halo = halos + which * 6 * kLayer;
    const int stride = blockDim.x;
    in_rounds<kUnroll>(threadIdx.x, kCells, stride, [&](auto count, int cell) {
        float value[count.value];
        each(count, [&](int u) { value[u] = mine[cell + u * stride]; });
        each(count, [&](int u) { cache[cell + u * stride] = value[u]; });
    });
    __syncthreads();
    in_rounds<kUnroll>(threadIdx.x, kCells, stride, [&](auto count, int cell) {
        float sum[count.value];
        each(count, [&](int u) { sum[u] = sum_around(cache, halo, cell + u * stride); });
        each(count, [&](int u) { mine[cell + u * stride] = sum[u] / 7.0f; });
    });
}

#define MINIAMR(unroll)                                                                                               \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                            \
        miniamr_stencil_##unroll(float* cells, const float* halos) {                                                  \
        make_cells<unroll>(cells, halos);                                                                             \
    }
FOR_UNROLL_FACTORS_TO_8(MINIAMR)
