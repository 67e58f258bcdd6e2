// A Jacobi step of the 3-D Laplace equation. A block owns kBlockX x kBlockY columns of the grid and marches through its
// planes, of which three, with a ring of neighbours, are in shared memory. Border points keep their values.
constexpr int kBlockX = 32;
constexpr int kBlockY = 4;
constexpr int kRow = kBlockX + 2;
constexpr int kPlane = kRow * (kBlockY + 2);

extern "C" __global__ void laplace3d(int nx, int ny, int nz, int pitch, const float* from, float* to) {
    __shared__ float plane[3 * kPlane];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int thread = tx + ty * kBlockX;

    // The first 2 * (kBlockX + kBlockY + 2) threads also bring one point of the ring each: the first two warps the rows
    // above and below, the next threads the columns beside, corners included.
    bool brings = thread < 2 * (kBlockX + kBlockY + 2);
    int ring = 0, ring_from = 0;
    if (brings) {
        int i, j;
        if (ty < 2) {
            i = tx;
            j = ty * (kBlockY + 1) - 1;
        } else {
            i = (thread % 2) * (kBlockX + 1) - 1;
            j = thread / 2 - kBlockX - 1;
        }
        ring = (i + 1) + (j + 1) * kRow + kPlane;
        const int x = i + blockIdx.x * kBlockX, y = j + blockIdx.y * kBlockY;
        ring_from = x + y * pitch;
        brings = x >= 0 && x < nx && y >= 0 && y < ny;
    }
    const int here = (tx + 1) + (ty + 1) * kRow + kPlane;
    const int x = tx + blockIdx.x * kBlockX, y = ty + blockIdx.y * kBlockY;
    int place = x + y * pitch;
    const bool active = x < nx && y < ny;
    const int next_plane = pitch * ny;

    if (active) plane[here + kPlane] = from[place];
    if (brings) plane[ring + kPlane] = from[ring_from];

    for (int z = 0; z < nz; ++z) {
        // Two planes move down, the next comes in.
        if (active) {
            place = x + (y + z * ny) * pitch;
            plane[here - kPlane] = plane[here];
            plane[here] = plane[here + kPlane];
            if (z < nz - 1) plane[here + kPlane] = from[place + next_plane];
        }
        if (brings) {
            ring_from += next_plane;
            plane[ring - kPlane] = plane[ring];
            plane[ring] = plane[ring + kPlane];
            if (z < nz - 1) plane[ring + kPlane] = from[ring_from];
        }
        __syncthreads();
        if (active) {
            float value;
            if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
                value = plane[here];
            } else {
                value = (plane[here - 1] + plane[here + 1] + plane[here - kRow] + plane[here + kRow] +
                         plane[here - kPlane] + plane[here + kPlane]) * (1.0f / 6.0f);
            }
            to[place] = value;
        }
        __syncthreads();
    }
}
