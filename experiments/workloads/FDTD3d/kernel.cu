// A step of a stencil that adds up the point and its neighbours at distances 1 to kRadius along each axis, weighted by
// distance. Volumes have a border of kRadius points. A block owns kBlockX x kBlockY columns and marches through the
// planes; each thread keeps its column's points before and behind in registers, and the plane's tile with its halo is in
// shared memory.
constexpr int kRadius = 4;
constexpr int kBlockX = 32;
constexpr int kBlockY = 16;

__constant__ float fdtd_weights[kRadius + 1];

extern "C" __global__ void fdtd3d(float* out, const float* in, int nx, int ny, int nz) {
    __shared__ float tile[kBlockY + 2 * kRadius][kBlockX + 2 * kRadius];
    const int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
    const int row = nx + 2 * kRadius, plane = row * (ny + 2 * kRadius);
    const bool reads = x < nx + kRadius && y < ny + kRadius;
    const bool writes = x < nx && y < ny;

    // From the first plane of the border on.
    int next = kRadius * row + kRadius + y * row + x;
    float behind[kRadius], before[kRadius], here = 0.0f;
#pragma unroll
    for (int i = kRadius - 2; i >= 0; --i) {
        if (reads) behind[i] = in[next];
        next += plane;
    }
    if (reads) here = in[next];
    int place = next;
    next += plane;
#pragma unroll
    for (int i = 0; i < kRadius; ++i) {
        if (reads) before[i] = in[next];
        next += plane;
    }

    for (int z = 0; z < nz; ++z) {
#pragma unroll
        for (int i = kRadius - 1; i > 0; --i) behind[i] = behind[i - 1];
        behind[0] = here;
        here = before[0];
#pragma unroll
        for (int i = 0; i < kRadius - 1; ++i) before[i] = before[i + 1];
        if (reads) before[kRadius - 1] = in[next];
        next += plane;
        place += plane;
        __syncthreads();

        if (threadIdx.y < kRadius) {
            if (reads) tile[threadIdx.y][tx] = in[place - kRadius * row];
            // Where the grid ends inside the block, the rows behind its last are just beyond it.
            tile[threadIdx.y + kBlockY + kRadius][tx] = in[place + kBlockY * row];
        }
        if (threadIdx.x < kRadius) {
            if (reads) tile[ty][threadIdx.x] = in[place - kRadius];
            tile[ty][threadIdx.x + kBlockX + kRadius] = in[place + kBlockX];
        }
        tile[ty][tx] = here;
        __syncthreads();

        float value = fdtd_weights[0] * here;
#pragma unroll
        for (int i = 1; i <= kRadius; ++i) {
            value += fdtd_weights[i] * (before[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
                                        tile[ty][tx - i] + tile[ty][tx + i]);
        }
        if (writes) out[place] = value;
    }
}
