// The cheapest path from the first row to each cell, moving to one of three cells of the next row. A block works on
// kBlock columns for `rows` rows; each row costs it a column on both sides.
constexpr int kBlock = 256;

extern "C" __global__ void pathfinder(int rows, const int* wall, const int* source, int* result, int columns, int row_count,
                                      int first_row, int border) {
    __shared__ int previous[kBlock];
    __shared__ int current[kBlock];
    const int tx = threadIdx.x;
    const int inner = kBlock - rows * 2;
    const int first = inner * blockIdx.x - border;
    const int last = first + kBlock - 1;
    const int x = first + tx;

    const int valid_min = first < 0 ? -first : 0;
    const int valid_max = last > columns - 1 ? kBlock - 1 - (last - columns + 1) : kBlock - 1;
    const int west = tx - 1 < valid_min ? valid_min : tx - 1;
    const int east = tx + 1 > valid_max ? valid_max : tx + 1;
    const bool valid = tx >= valid_min && tx <= valid_max;

    if (x >= 0 && x < columns) previous[tx] = source[x];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < rows; ++i) {
        computed = false;
        if (tx >= i + 1 && tx <= kBlock - i - 2 && valid) {
            computed = true;
            const int shortest = min(min(previous[west], previous[tx]), previous[east]);
            current[tx] = shortest + wall[columns * (first_row + i) + x];
        }
        __syncthreads();
        if (i == rows - 1) break;
        if (computed) previous[tx] = current[tx];
        __syncthreads();
    }
    if (computed) result[x] = current[tx];
}
