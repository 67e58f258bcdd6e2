// LU decomposition in place without pivoting, of a matrix of kBlock x kBlock blocks: L has ones on its diagonal, which is not
// stored. Three kernels a block row: the diagonal block, the blocks right of it and below, and all that are left.
constexpr int kBlock = 16;

// One block of kBlock threads: thread tx has row tx of L and column tx of U.
extern "C" __global__ void lud_diagonal(float* matrix, int n, int offset) {
    __shared__ float block[kBlock][kBlock];
    const int tx = threadIdx.x;
    const int corner = offset * n + offset;
    for (int i = 0; i < kBlock; ++i) block[i][tx] = matrix[corner + i * n + tx];
    __syncthreads();
    for (int i = 0; i < kBlock - 1; ++i) {
        if (tx > i) {
            for (int j = 0; j < i; ++j) block[tx][i] -= block[tx][j] * block[j][i];
            block[tx][i] /= block[i][i];
        }
        __syncthreads();
        if (tx > i) {
            for (int j = 0; j <= i; ++j) block[i + 1][tx] -= block[i + 1][j] * block[j][tx];
        }
        __syncthreads();
    }
    // Row 0 of U is as it was.
    for (int i = 1; i < kBlock; ++i) matrix[corner + i * n + tx] = block[i][tx];
}

// A block of 2 kBlock threads for each block of the row and the one opposite to it in the column. The first half of the
// threads solves for columns of the row's block, the second for rows of the column's; both need the diagonal block, half of
// which each half loads.
extern "C" __global__ void lud_perimeter(float* matrix, int n, int offset) {
    __shared__ float diagonal[kBlock][kBlock], row[kBlock][kBlock], column[kBlock][kBlock];
    const int corner = offset * n + offset;
    const int right = corner + (blockIdx.x + 1) * kBlock, below = corner + (blockIdx.x + 1) * kBlock * n;
    if (threadIdx.x < kBlock) {
        const int tx = threadIdx.x;
        for (int i = 0; i < kBlock / 2; ++i) diagonal[i][tx] = matrix[corner + i * n + tx];
        for (int i = 0; i < kBlock; ++i) row[i][tx] = matrix[right + i * n + tx];
    } else {
        const int tx = threadIdx.x - kBlock;
        for (int i = kBlock / 2; i < kBlock; ++i) diagonal[i][tx] = matrix[corner + i * n + tx];
        for (int i = 0; i < kBlock; ++i) column[i][tx] = matrix[below + i * n + tx];
    }
    __syncthreads();
    if (threadIdx.x < kBlock) {
        const int tx = threadIdx.x;
        for (int i = 1; i < kBlock; ++i) {
            for (int j = 0; j < i; ++j) row[i][tx] -= diagonal[i][j] * row[j][tx];
        }
    } else {
        const int tx = threadIdx.x - kBlock;
        for (int i = 0; i < kBlock; ++i) {
            for (int j = 0; j < i; ++j) column[tx][i] -= column[tx][j] * diagonal[j][i];
            column[tx][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < kBlock) {
        const int tx = threadIdx.x;
        for (int i = 1; i < kBlock; ++i) matrix[right + i * n + tx] = row[i][tx];
    } else {
        const int tx = threadIdx.x - kBlock;
        for (int i = 0; i < kBlock; ++i) matrix[below + i * n + tx] = column[i][tx];
    }
}

// A block of kBlock x kBlock threads for each block that is left: less the product of the column's block in its row and the
// row's block in its column.
extern "C" __global__ void lud_internal(float* matrix, int n, int offset) {
    __shared__ float row[kBlock][kBlock], column[kBlock][kBlock];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = offset + (blockIdx.x + 1) * kBlock + tx, y = offset + (blockIdx.y + 1) * kBlock + ty;
    row[ty][tx] = matrix[(offset + ty) * n + x];
    column[ty][tx] = matrix[y * n + offset + tx];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < kBlock; ++i) sum += column[ty][i] * row[i][tx];
    matrix[y * n + x] -= sum;
}
