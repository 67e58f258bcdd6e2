// The loop of looped.cu with vector memory instructions, which read and write a round's planes together: of global memory
// and of a tile in shared memory that has as many planes as a round.
#include "../vector_rounds.cuh"
#include "../../../../workloads/stencil/kernel.cu"

// A column's step in the planes of a round, of which `from`, `to` and `tile` point at its places in the first, `plane` and
// `tile_plane` words apart. `below` is the value beneath the round.
template <int kCount>
__device__ inline void step(Count<kCount> count, const Column& column, float below, const Words<float, kCount>& here,
                            const Words<float, kCount>& above, const float* from, float* to, const float* tile, bool at_top,
                            bool at_bottom, int nx, int width, int plane, int tile_plane, float c0, float c1) {
    Words<float, kCount> sum;
    each(count, [&](int u) { sum[u] = above[u] + (u == 0 ? below : here[u - 1]); });
    const auto add_side = [&](bool is_outside, int away, int tile_away) {
        if (is_outside) {
            const auto side = read_strided(count, from + away, plane);
            each(count, [&](int u) { sum[u] += side[u]; });
        } else {
            const auto side = read_strided_shared(count, tile + tile_away, tile_plane);
            each(count, [&](int u) { sum[u] += side[u]; });
        }
    };
    add_side(column.at_left, -1, -1);
    add_side(column.at_right, 1, 1);
    add_side(at_top, -nx, -width);
    add_side(at_bottom, nx, width);
    Words<float, kCount> next;
    each(count, [&](int u) { next[u] = sum[u] * c1 - here[u] * c0; });
    write_strided(count, to, plane, next);
}

template <int kLength>
__device__ inline void march(float* tile, float c0, float c1, const float* from, float* to, int nx, int ny, int nz) {
    const int width = blockDim.x * 2, plane = nx * ny, tile_plane = width * blockDim.y;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool at_top = threadIdx.y == 0, at_bottom = threadIdx.y == blockDim.y - 1;
    Column columns[2];
    place_columns(columns[0], columns[1], nx, ny);
#pragma unroll
    for (Column& column : columns) {
        column.below = from[column.x + nx * y];
        column.here = from[column.x + nx * y + plane];
    }
    in_rounds<kLength>(1, nz - 1, 1, [&](auto count, int z) {
        Words<float, count.value> above[2], here[2];
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            above[c] = read_strided(count, from + columns[c].x + nx * y + (z + 1) * plane, plane);
            each(count, [&](int u) { here[c][u] = u == 0 ? columns[c].here : above[c][u - 1]; });
            write_strided_shared(count, tile + columns[c].shared, tile_plane, here[c]);
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            const int at = columns[c].x + nx * y + z * plane;
            if (columns[c].inside) {
                step(count, columns[c], columns[c].below, here[c], above[c], from + at, to + at,
                     tile + columns[c].shared, at_top, at_bottom, nx, width, plane, tile_plane, c0, c1);
            }
            columns[c].below = here[c][count.value - 1];
            columns[c].here = above[c][count.value - 1];
        }
        __syncthreads();
    });
}

#define STENCIL(length)                                                                                            \
    extern "C" __global__ void stencil_v##length(float c0, float c1, const float* from, float* to, int nx, int ny,  \
                                                int nz) {                                                          \
        extern __shared__ float tile[];                                                                            \
        march<length>(tile, c0, c1, from, to, nx, ny, nz);                                                         \
    }
FOR_VECTOR_LENGTHS(STENCIL)
