// The kernels of looped.cu with vector memory instructions: the two loops over a block's rows go down columns of the matrices
// in global memory and of the tiles in shared memory, all strided.
#include "../vector_rounds.cuh"
#include "../../../../workloads/nw/kernel.cu"

template <int kLength>
__device__ inline void fill(const int* similarity, int* score, int columns, int penalty, int block_x, int block_y) {
    __shared__ Cells cells;
    __shared__ Similar similar;
    const int tx = threadIdx.x;
    const int corner = columns * kBlock * block_y + kBlock * block_x;  // the cell before the block's first
    const int index = corner + tx + columns + 1;

    if (tx == 0) cells[0][0] = score[corner];
    in_rounds<kLength>(0, kBlock, 1, [&](auto count, int y) {
        const auto row = read_strided(count, similarity + index + columns * y, columns);
        write_strided_shared(count, &similar[y][tx], kBlock, row);
    });
    __syncthreads();
    cells[tx + 1][0] = score[corner + columns * (tx + 1)];
    __syncthreads();
    cells[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();

    fill_diagonals(cells, similar, penalty);
    in_rounds<kLength>(0, kBlock, 1, [&](auto count, int y) {
        const auto row = read_strided_shared(count, &cells[y + 1][tx + 1], kBlock + 1);
        write_strided(count, score + index + columns * y, columns, row);
    });
}

#define NW(length)                                                                                                    \
    extern "C" __global__ void nw_first_half_v##length(const int* similarity, int* score, int columns, int penalty,    \
                                                      int diagonal) {                                                 \
        fill<length>(similarity, score, columns, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);                     \
    }                                                                                                                 \
    extern "C" __global__ void nw_second_half_v##length(const int* similarity, int* score, int columns, int penalty,   \
                                                       int diagonal, int width) {                                     \
        fill<length>(similarity, score, columns, penalty, blockIdx.x + width - diagonal, width - blockIdx.x - 1);     \
    }
FOR_VECTOR_LENGTHS(NW)
