// Sums of the rows of a sparse matrix, a row a thread. The places of a row's entries are contiguous, and the entry itself
// is found by its place.
extern "C" __global__ void sparse_row_sums(float* sums, const float* entries, const int* places, const int* row_begin,
                                           int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int end = row_begin[row + 1];
    float sum = 0.0f;
    for (int i = row_begin[row]; i < end; ++i) sum += entries[places[i]];
    sums[row] = sum;
}
