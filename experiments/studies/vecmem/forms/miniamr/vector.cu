// The stencil of looped.cu with vector memory instructions: a block's cells are strided, in global and in shared memory. What
// a cell's neighbours are depends on where it lies, so they are read one by one.
#include "../vector_rounds.cuh"
#include "../../../../workloads/miniamr/kernel.cu"

// As sum_around of kernel.cu, of a cell that has been read.
__device__ inline float sum_around(float here, const float* cache, const float* halo, int cell) {
    const int i = cell % kSide, j = cell / kSide % kSide, k = cell / kLayer;
    float sum = here;
    sum += i > 0 ? cache[cell - 1] : halo[j + k * kSide];
    sum += i < kSide - 1 ? cache[cell + 1] : halo[kLayer + j + k * kSide];
    sum += j > 0 ? cache[cell - kSide] : halo[2 * kLayer + i + k * kSide];
    sum += j < kSide - 1 ? cache[cell + kSide] : halo[3 * kLayer + i + k * kSide];
    sum += k > 0 ? cache[cell - kLayer] : halo[4 * kLayer + i + j * kSide];
    sum += k < kSide - 1 ? cache[cell + kLayer] : halo[5 * kLayer + i + j * kSide];
    return sum;
}

template <int kLength>
__device__ inline void make_cells(float* cells, const float* halos) {
    __shared__ float cache[kCells];
    const int which = blockIdx.x * gridDim.y + blockIdx.y;
    float* const mine = cells + which * kCells;
    const float* const halo = halos + which * 6 * kLayer;
    const int stride = blockDim.x;
    in_rounds<kLength>(threadIdx.x, kCells, stride, [&](auto count, int cell) {
        write_strided_shared(count, cache + cell, stride, read_strided(count, mine + cell, stride));
    });
    __syncthreads();
    in_rounds<kLength>(threadIdx.x, kCells, stride, [&](auto count, int cell) {
        const auto here = read_strided_shared(count, cache + cell, stride);
        Words<float, count.value> mean;
        each(count, [&](int u) { mean[u] = sum_around(here[u], cache, halo, cell + u * stride) / 7.0f; });
        write_strided(count, mine + cell, stride, mean);
    });
}

#define MINIAMR(length)                                                                                               \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                            \
        miniamr_stencil_v##length(float* cells, const float* halos) {                                                 \
        make_cells<length>(cells, halos);                                                                             \
    }
FOR_VECTOR_LENGTHS(MINIAMR)
