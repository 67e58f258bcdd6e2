// The kernel of kernel.cu with 32 / blockDim.y rows of a tile a thread, and with both of its loops over them unrolled: the
// first reads rows of global memory and writes them to shared memory, the second the other way round.
#include "../looped.cuh"
#include "../../../../workloads/transpose/kernel.cu"

template <int kUnroll>
__device__ inline void transpose_tile(float* to, const float* from, int width, int height) {
    __shared__ float tile[kTile][kTile + 1];
    const int column = threadIdx.x, rows = blockDim.y;
    const int read_at = blockIdx.y * kTile * width + blockIdx.x * kTile + column;
    const int write_at = blockIdx.x * kTile * height + blockIdx.y * kTile + column;
    in_rounds<kUnroll>(threadIdx.y, kTile, rows, [&](auto count, int y) {
        float word[count.value];
        each(count, [&](int u) { word[u] = from[read_at + (y + u * rows) * width]; });
        each(count, [&](int u) { tile[y + u * rows][column] = word[u]; });
    });
    __syncthreads();
    in_rounds<kUnroll>(threadIdx.y, kTile, rows, [&](auto count, int y) {
        float word[count.value];
        each(count, [&](int u) { word[u] = tile[column][y + u * rows]; });
        each(count, [&](int u) { to[write_at + (y + u * rows) * height] = word[u]; });
    });
}

#define TRANSPOSE(unroll)                                                                                       \
    extern "C" __global__ void transpose_##unroll(float* to, const float* from, int width, int height) {        \
        transpose_tile<unroll>(to, from, width, height);                                                        \
    }
FOR_UNROLL_FACTORS(TRANSPOSE)
