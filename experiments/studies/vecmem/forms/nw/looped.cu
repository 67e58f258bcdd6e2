// The kernels of kernel.cu with the loops over a block's rows unrolled: that which brings similarities, and that which
// takes scores back. The first and the last are of global and shared memory; the diagonals between them, of a barrier
// each, are as they were.
#include "../looped.cuh"
#include "../../../../workloads/nw/kernel.cu"

template <int kUnroll>
__device__ inline void fill(const int* similarity, int* score, int columns, int penalty, int block_x, int block_y) {
    __shared__ Cells cells;
    __shared__ Similar similar;
    const int tx = threadIdx.x;
    const int corner = columns * kBlock * block_y + kBlock * block_x;  // the cell before the block's first
    const int index = corner + tx + columns + 1;

    if (tx == 0) cells[0][0] = score[corner];
    in_rounds<kUnroll>(0, kBlock, 1, [&](auto count, int y) {
        int row[count.value];
        each(count, [&](int u) { row[u] = similarity[index + columns * (y + u)]; });
        each(count, [&](int u) { similar[y + u][tx] = row[u]; });
    });
    __syncthreads();
    cells[tx + 1][0] = score[corner + columns * (tx + 1)];
    __syncthreads();
    cells[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();

    fill_diagonals(cells, similar, penalty);
    in_rounds<kUnroll>(0, kBlock, 1, [&](auto count, int y) {
        int row[count.value];
        each(count, [&](int u) { row[u] = cells[y + u + 1][tx + 1]; });
        each(count, [&](int u) { score[index + columns * (y + u)] = row[u]; });
    });
}

#define NW(unroll)                                                                                                    \
    extern "C" __global__ void nw_first_half_##unroll(const int* similarity, int* score, int columns, int penalty,    \
                                                      int diagonal) {                                                 \
        fill<unroll>(similarity, score, columns, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);                     \
    }                                                                                                                 \
    extern "C" __global__ void nw_second_half_##unroll(const int* similarity, int* score, int columns, int penalty,   \
                                                       int diagonal, int width) {                                     \
        fill<unroll>(similarity, score, columns, penalty, blockIdx.x + width - diagonal, width - blockIdx.x - 1);     \
    }
FOR_UNROLL_FACTORS(NW)
