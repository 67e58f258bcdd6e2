// The kernels of kernel.cu, which go over a tile's planes and over a copy's cells in loops as they are, with these loops
// unrolled: what a round's cells need is all read before the first of them is written.
#include "../looped.cuh"
#include "../../../../workloads/hpgmg/kernel.cu"

template <int kUnroll>
__device__ inline void smooth(const Level& level, const Tile* tiles, float a, float b_over_h2, int step, const float* c1,
                              const float* c2) {
    const Tile tile = tiles[blockIdx.x];
    if (threadIdx.x >= tile.size_i || threadIdx.y >= tile.size_j) return;
    const int* const begin = level.vector_begin + tile.box * level.vectors;
    const int js = level.j_stride, ks = level.k_stride;
    const int first = tile.i + threadIdx.x + (tile.j + threadIdx.y) * js + tile.k * ks;
    const float* const x = level.data + begin[step % 2 == 0 ? kX : kTemp];
    float* const next = level.data + begin[step % 2 == 0 ? kTemp : kX];  // holds the values before x
    const float* const right_side = level.data + begin[kRightSide];
    const float* const alpha = level.data + begin[kAlpha];
    const float* const beta_i = level.data + begin[kBetaI];
    const float* const beta_j = level.data + begin[kBetaJ];
    const float* const beta_k = level.data + begin[kBetaK];
    const float* const inverse_diagonal = level.data + begin[kInverseDiagonal];
    const float change = c1[step], correction = c2[step];
    in_rounds<kUnroll>(first, first + tile.size_k * ks, ks, [&](auto count, int cell) {
        float here[count.value], flux[count.value], last[count.value], side[count.value], factor[count.value],
            inverse[count.value];
        each(count, [&](int u) { here[u] = x[cell + u * ks]; });
        each(count, [&](int u) {
            const int at = cell + u * ks;
            flux[u] = beta_i[at + 1] * (x[at + 1] - here[u]) + beta_i[at] * (x[at - 1] - here[u]) +
                      beta_j[at + js] * (x[at + js] - here[u]) + beta_j[at] * (x[at - js] - here[u]) +
                      beta_k[at + ks] * (x[at + ks] - here[u]) + beta_k[at] * (x[at - ks] - here[u]);
        });
        each(count, [&](int u) { factor[u] = alpha[cell + u * ks]; });
        each(count, [&](int u) { last[u] = next[cell + u * ks]; });
        each(count, [&](int u) { inverse[u] = inverse_diagonal[cell + u * ks]; });
        each(count, [&](int u) { side[u] = right_side[cell + u * ks]; });
        each(count, [&](int u) {
            const float ax = a * factor[u] * here[u] - b_over_h2 * flux[u];
            next[cell + u * ks] =
                here[u] + change * (here[u] - last[u]) + correction * inverse[u] * (side[u] - ax);
        });
    });
}

template <int kUnroll>
__device__ inline void copy_cells(const Level& level, const Copy* copies, int vector) {
    const Copy copy = copies[blockIdx.x];
    const float* const read = level.data + level.vector_begin[copy.read_box * level.vectors + vector] + copy.read_i +
                              copy.read_j * level.j_stride + copy.read_k * level.k_stride;
    float* const write = level.data + level.vector_begin[copy.write_box * level.vectors + vector] + copy.write_i +
                         copy.write_j * level.j_stride + copy.write_k * level.k_stride;
    const int stride = blockDim.x;
    in_rounds<kUnroll>(threadIdx.x, copy.size_i * copy.size_j * copy.size_k, stride, [&](auto count, int cell) {
        int at[count.value];
        float value[count.value];
        each(count, [&](int u) {
            const int c = cell + u * stride;
            const int i = c % copy.size_i, j = c / copy.size_i % copy.size_j, k = c / copy.size_i / copy.size_j;
            at[u] = i + j * level.j_stride + k * level.k_stride;
        });
        each(count, [&](int u) { value[u] = read[at[u]]; });
        each(count, [&](int u) { write[at[u]] = value[u]; });
    });
}

#define HPGMG(unroll)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(kTileThreads)                                                        \
        hpgmg_chebyshev_##unroll(Level level, const Tile* tiles, float a, float b_over_h2, int step, const float* c1, \
                                 const float* c2) {                                                                   \
        smooth<unroll>(level, tiles, a, b_over_h2, step, c1, c2);                                                     \
    }                                                                                                                 \
    extern "C" __global__ void __launch_bounds__(kCopyThreads)                                                        \
        hpgmg_copy_##unroll(Level level, const Copy* copies, int vector) {                                            \
        copy_cells<unroll>(level, copies, vector);                                                                    \
    }
FOR_UNROLL_FACTORS_TO_8(HPGMG)
