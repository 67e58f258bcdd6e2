// Electrostatic potential on a plane of a regular grid: the sum of charge over distance for all atoms. A thread
// computes kPoints grid points of a row, kBlockX apart, so that neighbouring threads write neighbouring points. An atom
// is (x, y, square of its distance from the plane, charge) in constant memory, which all threads read together.
constexpr int kBlockX = 16;
constexpr int kPoints = 8;
constexpr int kMaxAtoms = 4000;

__constant__ float4 cp_atoms[kMaxAtoms];

extern "C" __global__ void cp(int atoms, float spacing, float* energy) {
    const unsigned column = blockIdx.x * blockDim.x * kPoints + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned place = gridDim.x * blockDim.x * kPoints * row + column;
    const float x = spacing * column, y = spacing * row;
    const float step = spacing * kBlockX;

    float sum[kPoints];
#pragma unroll
    for (int point = 0; point < kPoints; ++point) sum[point] = 0.0f;
    for (int i = 0; i < atoms; ++i) {
        const float4 atom = cp_atoms[i];
        const float dy = y - atom.y;
        const float rest = dy * dy + atom.z;
        float dx = x - atom.x;
#pragma unroll
        for (int point = 0; point < kPoints; ++point) {
            sum[point] += atom.w * rsqrtf(dx * dx + rest);
            dx += step;
        }
    }
#pragma unroll
    for (int point = 0; point < kPoints; ++point) energy[place + point * kBlockX] += sum[point];
}
