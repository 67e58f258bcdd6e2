// A step of a seven-point stencil: next = c1 * (sum of the six neighbours) - c0 * here. A block owns a tile of
// 2 blockDim.x x blockDim.y columns and marches through the planes; a thread owns two columns, blockDim.x apart, and
// keeps their values of three planes in registers. The tile of the middle plane is in shared memory; neighbours outside
// of it are read from global memory. Border points keep their values.
struct Column {
    bool inside;              // of the grid, not on its border
    bool at_left, at_right;   // of the tile
    int x, shared;
    float below, here, above;
};

__device__ inline float neighbours(const Column& column, const float* plane, const float* tile, bool at_top,
                                   bool at_bottom, int nx, int width) {
    return column.above + column.below + (column.at_left ? +plane[-1] : tile[column.shared - 1]) +
           (column.at_right ? +plane[1] : tile[column.shared + 1]) +
           (at_top ? +plane[-nx] : tile[column.shared - width]) + (at_bottom ? +plane[nx] : tile[column.shared + width]);
}

// The thread's two columns, but for their values.
__device__ inline void place_columns(Column& first, Column& second, int nx, int ny) {
    const int width = blockDim.x * 2;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool row_inside = y > 0 && y < ny - 1;
    first.x = blockIdx.x * width + threadIdx.x;
    first.shared = threadIdx.x + threadIdx.y * width;
    first.inside = row_inside && first.x > 0 && first.x < nx - 1;
    first.at_left = threadIdx.x == 0;
    first.at_right = false;
    second.x = first.x + blockDim.x;
    second.shared = first.shared + blockDim.x;
    second.inside = row_inside && second.x < nx - 1;
    second.at_left = false;
    second.at_right = threadIdx.x == blockDim.x - 1;
}

extern "C" __global__ void stencil(float c0, float c1, const float* from, float* to, int nx, int ny, int nz) {
    extern __shared__ float tile[];
    const int width = blockDim.x * 2;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool at_top = threadIdx.y == 0, at_bottom = threadIdx.y == blockDim.y - 1;
    Column first, second;
    place_columns(first, second, nx, ny);

    const int plane = nx * ny;
    int i1 = first.x + nx * y, i2 = second.x + nx * y;
    first.below = from[i1];
    second.below = from[i2];
    first.here = from[i1 + plane];
    second.here = from[i2 + plane];
    for (int z = 1; z < nz - 1; ++z) {
        i1 += plane;
        i2 += plane;
        tile[first.shared] = first.here;
        tile[second.shared] = second.here;
        __syncthreads();
        first.above = from[i1 + plane];
        second.above = from[i2 + plane];
        if (first.inside) {
            to[i1] = neighbours(first, from + i1, tile, at_top, at_bottom, nx, width) * c1 - first.here * c0;
        }
        if (second.inside) {
            to[i2] = neighbours(second, from + i2, tile, at_top, at_bottom, nx, width) * c1 - second.here * c0;
        }
        __syncthreads();
        first.below = first.here;
        first.here = first.above;
        second.below = second.here;
        second.here = second.above;
    }
}
