// The loop of looped.cu with vector memory instructions: the values of a round's planes are strided.
#include "../vector_rounds.cuh"
#include "kernel.cu"

template <int kLength>
__device__ inline void march(float* tile, float c0, float c1, const float* from, float* to, int nx, int ny, int nz) {
    const int width = blockDim.x * 2, plane = nx * ny;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool at_top = threadIdx.y == 0, at_bottom = threadIdx.y == blockDim.y - 1;
    Column first, second;
    place_columns(first, second, nx, ny);
    const int i1 = first.x + nx * y, i2 = second.x + nx * y;
    first.below = from[i1];
    second.below = from[i2];
    first.here = from[i1 + plane];
    second.here = from[i2 + plane];

    in_rounds<kLength>(1, nz - 1, 1, [&](auto count, int z) {
        const auto first_above = read_strided(count, from + i1 + (z + 1) * plane, plane);
        const auto second_above = read_strided(count, from + i2 + (z + 1) * plane, plane);
        each(count, [&](int u) {
            const int at1 = i1 + (z + u) * plane, at2 = i2 + (z + u) * plane;
            tile[first.shared] = first.here;
            tile[second.shared] = second.here;
            __syncthreads();
            first.above = first_above[u];
            second.above = second_above[u];
            if (first.inside) {
                to[at1] = neighbours(first, from + at1, tile, at_top, at_bottom, nx, width) * c1 - first.here * c0;
            }
            if (second.inside) {
                to[at2] = neighbours(second, from + at2, tile, at_top, at_bottom, nx, width) * c1 - second.here * c0;
            }
            __syncthreads();
            first.below = first.here;
            first.here = first.above;
            second.below = second.here;
            second.here = second.above;
        });
    });
}

#define STENCIL(length)                                                                                            \
    extern "C" __global__ void stencil_v##length(float c0, float c1, const float* from, float* to, int nx, int ny,  \
                                                int nz) {                                                          \
        extern __shared__ float tile[];                                                                            \
        march<length>(tile, c0, c1, from, to, nx, ny, nz);                                                         \
    }
FOR_VECTOR_LENGTHS(STENCIL)
