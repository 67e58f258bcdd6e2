// The kernel of kernel.cu, which goes over the planes in its innermost loop as it is, with that loop unrolled: the values
// of a round's planes are all read before the first of them is stored to the tile.
#include "../looped.cuh"
#include "../../../../workloads/stencil/kernel.cu"

template <int kUnroll>
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

    in_rounds<kUnroll>(1, nz - 1, 1, [&](auto count, int z) {
        float first_above[count.value], second_above[count.value];
        each(count, [&](int u) { first_above[u] = from[i1 + (z + u + 1) * plane]; });
        each(count, [&](int u) { second_above[u] = from[i2 + (z + u + 1) * plane]; });
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

#define STENCIL(unroll)                                                                                            \
    extern "C" __global__ void stencil_##unroll(float c0, float c1, const float* from, float* to, int nx, int ny,  \
                                                int nz) {                                                          \
        extern __shared__ float tile[];                                                                            \
        march<unroll>(tile, c0, c1, from, to, nx, ny, nz);                                                         \
    }
FOR_UNROLL_FACTORS(STENCIL)
