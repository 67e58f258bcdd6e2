// y = A x. Rows are sorted by length, longest first, and padded in groups of 32 to the group's longest; the k-th entries
// of all rows that have one are contiguous, from diagonal_at[k] on. A row's next entry is asked for before the product
// of the one before it.
constexpr int kMaxLength = 512;
constexpr int kMaxGroups = 8192;

__constant__ int spmv_diagonal_at[kMaxLength];
__constant__ int spmv_group_length[kMaxGroups];

extern "C" __global__ void spmv_jds(float* y, const float* data, const int* column, const int* permutation,
                                    const float* x, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int length = spmv_group_length[row / 32];
    int at = spmv_diagonal_at[0] + row;
    float value = data[at];
    int place = column[at];
    float sum = 0.0f;
#pragma unroll 1  // as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA guide 4.0, B.19)
    for (int k = 1; k < length; ++k) {
        at = spmv_diagonal_at[k] + row;
        const float next_value = data[at];
        const int next_place = column[at];
        sum += value * x[place];
        value = next_value;
        place = next_place;
    }
    sum += value * x[place];
    y[permutation[row]] = sum;
}
