// A step of a lattice-Boltzmann fluid with 19 directions (D3Q19): a cell's distribution relaxes towards equilibrium and
// streams to its neighbours; obstacles send it back; lid cells move. A block is a row of cells. The arrays of all cells
// follow each other direction by direction; `flags` says what a cell is.
constexpr int kDirections = 19;

// Opposite directions are neighbours: direction i > 0 has the opposite ((i - 1) ^ 1) + 1.
__device__ constexpr int kX[kDirections] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__device__ constexpr int kY[kDirections] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__device__ constexpr int kZ[kDirections] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__device__ constexpr float weight(int i) { return i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }
__device__ constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }

extern "C" __global__ void lbm(const float* from, float* to, const int* flags, int pitch, int plane, int cells, int first,
                               float omega) {
    const int place = first + threadIdx.x + pitch * blockIdx.x + plane * blockIdx.y;
    float f[kDirections];
#pragma unroll
    for (int i = 0; i < kDirections; ++i) f[i] = from[place + i * cells];

    const int flag = flags[place];
    if (flag & 1) {
#pragma unroll
        for (int i = 0; i < kDirections; ++i) {
            const int back = opposite(i);
            to[place + kX[back] + kY[back] * pitch + kZ[back] * plane + back * cells] = f[i];
        }
        return;
    }
    float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int i = 0; i < kDirections; ++i) {
        density += f[i];
        ux += kX[i] * f[i];
        uy += kY[i] * f[i];
        uz += kZ[i] * f[i];
    }
    ux /= density;
    uy /= density;
    uz /= density;
    if (flag & 2) {
        ux = 0.005f;
        uy = 0.002f;
        uz = 0.0f;
    }
    const float squared = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f;
#pragma unroll
    for (int i = 0; i < kDirections; ++i) {
        const float along = kX[i] * ux + kY[i] * uy + kZ[i] * uz;
        const float equilibrium = weight(i) * density * (along * (4.5f * along + 3.0f) - squared);
        to[place + kX[i] + kY[i] * pitch + kZ[i] * plane + i * cells] = (1.0f - omega) * f[i] + omega * equilibrium;
    }
}
