// The kernel of looped.cu with vector memory instructions: rows of global memory and rows and columns of the tile in shared
// memory are all strided.
#include "../vector_rounds.cuh"
#include "../../../../workloads/transpose/kernel.cu"

template <int kLength>
__device__ inline void transpose_tile(float* to, const float* from, int width, int height) {
    __shared__ float tile[kTile][kTile + 1];
    const int column = threadIdx.x, rows = blockDim.y;
    const int read_at = blockIdx.y * kTile * width + blockIdx.x * kTile + column;
    const int write_at = blockIdx.x * kTile * height + blockIdx.y * kTile + column;
    in_rounds<kLength>(threadIdx.y, kTile, rows, [&](auto count, int y) {
        const auto word = read_strided(count, from + read_at + y * width, rows * width);
        write_strided_shared(count, &tile[y][column], rows * (kTile + 1), word);
    });
    __syncthreads();
    in_rounds<kLength>(threadIdx.y, kTile, rows, [&](auto count, int y) {
        const auto word = read_strided_shared(count, &tile[column][y], rows);
        write_strided(count, to + write_at + y * height, rows * height, word);
    });
}

#define TRANSPOSE(length)                                                                                       \
    extern "C" __global__ void transpose_v##length(float* to, const float* from, int width, int height) {       \
        transpose_tile<length>(to, from, width, height);                                                        \
    }
FOR_VECTOR_LENGTHS(TRANSPOSE)
