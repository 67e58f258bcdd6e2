// Scores of the best alignments of two sequences: each cell is the best of the cell diagonally before it plus the
// similarity, and the cells above and left less a penalty. A block of kBlock threads fills kBlock x kBlock cells along
// their own diagonals; a launch takes the blocks of one anti-diagonal of the matrix.
constexpr int kBlock = 16;

using Cells = int[kBlock + 1][kBlock + 1];  // the block's scores, and those before them
using Similar = int[kBlock][kBlock];

__device__ inline void fill_diagonals(Cells& cells, const Similar& similar, int penalty) {
    const int tx = threadIdx.x;
    for (int m = 0; m < kBlock; ++m) {
        if (tx <= m) {
            const int x = tx + 1, y = m - tx + 1;
            cells[y][x] = max(max(cells[y - 1][x - 1] + similar[y - 1][x - 1], cells[y][x - 1] - penalty),
                              cells[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int m = kBlock - 2; m >= 0; --m) {
        if (tx <= m) {
            const int x = tx + kBlock - m, y = kBlock - tx;
            cells[y][x] = max(max(cells[y - 1][x - 1] + similar[y - 1][x - 1], cells[y][x - 1] - penalty),
                              cells[y - 1][x] - penalty);
        }
        __syncthreads();
    }
}

__device__ inline void fill_block(const int* similarity, int* score, int columns, int penalty, int block_x, int block_y) {
    __shared__ Cells cells;
    __shared__ Similar similar;
    const int tx = threadIdx.x;
    const int corner = columns * kBlock * block_y + kBlock * block_x;  // the cell before the block's first
    const int index = corner + tx + columns + 1;
    const int above = corner + tx + 1, left = corner + columns;

    if (tx == 0) cells[0][0] = score[corner];
    for (int y = 0; y < kBlock; ++y) similar[y][tx] = similarity[index + columns * y];
    __syncthreads();
    cells[tx + 1][0] = score[left + columns * tx];
    __syncthreads();
    cells[0][tx + 1] = score[above];
    __syncthreads();

    fill_diagonals(cells, similar, penalty);
    for (int y = 0; y < kBlock; ++y) score[index + y * columns] = cells[y + 1][tx + 1];
}

// Diagonals up to the longest: block `b` of `diagonal` is at (b, diagonal - 1 - b).
extern "C" __global__ void nw_first_half(const int* similarity, int* score, int columns, int penalty, int diagonal) {
    fill_block(similarity, score, columns, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

// The diagonals after it, of `diagonal` blocks each, of a matrix of `width` blocks.
extern "C" __global__ void nw_second_half(const int* similarity, int* score, int columns, int penalty, int diagonal,
                                          int width) {
    fill_block(similarity, score, columns, penalty, blockIdx.x + width - diagonal, width - blockIdx.x - 1);
}
