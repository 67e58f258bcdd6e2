// The kernels of looped.cu with vector memory instructions: a column's cells of all vectors, and their neighbours, are
// strided. The cells of a copy go by rows and planes, so that theirs are indirect.
#include "../vector_rounds.cuh"
#include "../../../../workloads/hpgmg/kernel.cu"

template <int kLength>
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
    in_rounds<kLength>(first, first + tile.size_k * ks, ks, [&](auto count, int cell) {
        const auto column = [&](const float* vector, int away) {
            return read_strided(count, vector + cell + away, ks);
        };
        const auto here = column(x, 0);
        // The first side by itself, so that sums are rounded as in looped.cu.
        Words<float, count.value> flux;
        const auto beta_behind = column(beta_i, 1), behind = column(x, 1);
        each(count, [&](int u) { flux[u] = beta_behind[u] * (behind[u] - here[u]); });
        const auto add_side = [&](const float* beta, int beta_away, int away) {
            const auto factor = column(beta, beta_away), beside = column(x, away);
            each(count, [&](int u) { flux[u] += factor[u] * (beside[u] - here[u]); });
        };
        add_side(beta_i, 0, -1);
        add_side(beta_j, js, js);
        add_side(beta_j, 0, -js);
        add_side(beta_k, ks, ks);
        add_side(beta_k, 0, -ks);
        const auto factor = column(alpha, 0), last = column(next, 0), inverse = column(inverse_diagonal, 0),
                   side = column(right_side, 0);
        Words<float, count.value> result;
        each(count, [&](int u) {
            const float ax = a * factor[u] * here[u] - b_over_h2 * flux[u];
            result[u] = here[u] + change * (here[u] - last[u]) + correction * inverse[u] * (side[u] - ax);
        });
        write_strided(count, next + cell, ks, result);
    });
}

template <int kLength>
__device__ inline void copy_cells(const Level& level, const Copy* copies, int vector) {
    const Copy copy = copies[blockIdx.x];
    const float* const read = level.data + level.vector_begin[copy.read_box * level.vectors + vector] + copy.read_i +
                              copy.read_j * level.j_stride + copy.read_k * level.k_stride;
    float* const write = level.data + level.vector_begin[copy.write_box * level.vectors + vector] + copy.write_i +
                         copy.write_j * level.j_stride + copy.write_k * level.k_stride;
    const int stride = blockDim.x;
    in_rounds<kLength>(threadIdx.x, copy.size_i * copy.size_j * copy.size_k, stride, [&](auto count, int cell) {
        Words<int, count.value> at;
        each(count, [&](int u) {
            const int c = cell + u * stride;
            const int i = c % copy.size_i, j = c / copy.size_i % copy.size_j, k = c / copy.size_i / copy.size_j;
            at[u] = i + j * level.j_stride + k * level.k_stride;
        });
        write_indirect(count, write, at, read_indirect(count, read, at));
    });
}

#define HPGMG(length)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(kTileThreads)                                                         \
        hpgmg_chebyshev_v##length(Level level, const Tile* tiles, float a, float b_over_h2, int step, const float* c1, \
                                  const float* c2) {                                                                   \
        smooth<length>(level, tiles, a, b_over_h2, step, c1, c2);                                                      \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(kCopyThreads)                                                         \
        hpgmg_copy_v##length(Level level, const Copy* copies, int vector) {                                            \
        copy_cells<length>(level, copies, vector);                                                                     \
    }
FOR_VECTOR_LENGTHS(HPGMG)
