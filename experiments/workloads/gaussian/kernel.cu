// Gaussian elimination without pivoting of a x = b, column by column. Threads along x are rows, so neighbouring threads are a
// row apart in memory; this is the suite's mapping.

// The multipliers of all rows below row `column`.
extern "C" __global__ void gaussian_fan1(float* multiplier, const float* a, int size, int column) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size - 1 - column) return;
    const int row = column + 1 + i;
    multiplier[size * row + column] = a[size * row + column] / a[size * column + column];
}

// Subtracts the multiple of row `column` from each row below, in all columns from it on; the threads of the first column do
// so for the right side too. The grid is the whole matrix's, whatever is left of it.
extern "C" __global__ void gaussian_fan2(const float* multiplier, float* a, float* b, int size, int column) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= size - 1 - column) return;
    if (j >= size - column) return;
    const int row = column + 1 + i;
    a[size * row + column + j] -= multiplier[size * row + column] * a[size * column + column + j];
    if (j == 0) b[row] -= multiplier[size * row + column] * b[column];
}
