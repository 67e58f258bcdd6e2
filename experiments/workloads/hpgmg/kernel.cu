// A Chebyshev smoother on a level of a geometric multigrid method: a level is cut into cubic boxes, each with a layer of
// ghost cells, and its vectors (solution, right side, coefficients) lie one behind the other in each box. Work is cut into
// tiles of a box, a thread block each, which lists in memory describe.
constexpr int kTileI = 32, kTileJ = 4, kTileThreads = kTileI * kTileJ;
constexpr int kCopyThreads = 64;

struct Level {
    float* data;
    const int* vector_begin;  // of vector v of box b, at its first cell that is no ghost: vector_begin[b * vectors + v]
    int vectors, j_stride, k_stride;
};

// The vectors' numbers.
enum { kX, kTemp, kRightSide, kAlpha, kBetaI, kBetaJ, kBetaK, kInverseDiagonal };

struct Tile {
    int box, i, j, k, size_i, size_j, size_k;
};

struct Copy {
    int size_i, size_j, size_k;
    int read_box, read_i, read_j, read_k;
    int write_box, write_i, write_j, write_k;
};

// next = x + c1 (x - last) + c2 (right side - A x) / diagonal, where A x = a alpha x - b div beta grad x. Even steps go from
// x to temp, odd ones back, and what is overwritten is the vector before. A thread takes a column of its tile.
extern "C" __global__ void __launch_bounds__(kTileThreads)
    hpgmg_chebyshev(Level level, const Tile* tiles, float a, float b_over_h2, int step, const float* c1,
                    const float* c2) {
    const Tile tile = tiles[blockIdx.x];
    if (threadIdx.x >= tile.size_i || threadIdx.y >= tile.size_j) return;
    const int* const begin = level.vector_begin + tile.box * level.vectors;
    const int js = level.j_stride, ks = level.k_stride;
    int at = tile.i + threadIdx.x + (tile.j + threadIdx.y) * js + tile.k * ks;
    const float* const x = level.data + begin[step % 2 == 0 ? kX : kTemp];
    float* const next = level.data + begin[step % 2 == 0 ? kTemp : kX];  // holds the values before x
    const float* const right_side = level.data + begin[kRightSide];
    const float* const alpha = level.data + begin[kAlpha];
    const float* const beta_i = level.data + begin[kBetaI];
    const float* const beta_j = level.data + begin[kBetaJ];
    const float* const beta_k = level.data + begin[kBetaK];
    const float* const inverse_diagonal = level.data + begin[kInverseDiagonal];
    const float change = c1[step], correction = c2[step];
    for (int k = 0; k < tile.size_k; ++k, at += ks) {
        const float here = x[at];
        const float flux = beta_i[at + 1] * (x[at + 1] - here) + beta_i[at] * (x[at - 1] - here) +
                           beta_j[at + js] * (x[at + js] - here) + beta_j[at] * (x[at - js] - here) +
                           beta_k[at + ks] * (x[at + ks] - here) + beta_k[at] * (x[at - ks] - here);
        const float ax = a * alpha[at] * here - b_over_h2 * flux;
        next[at] = here + change * (here - next[at]) + correction * inverse_diagonal[at] * (right_side[at] - ax);
    }
}

// Ghost cells from the boxes beside: a block copies a small box of cells.
extern "C" __global__ void __launch_bounds__(kCopyThreads) hpgmg_copy(Level level, const Copy* copies, int vector) {
    const Copy copy = copies[blockIdx.x];
    const float* const read = level.data + level.vector_begin[copy.read_box * level.vectors + vector] + copy.read_i +
                              copy.read_j * level.j_stride + copy.read_k * level.k_stride;
    float* const write = level.data + level.vector_begin[copy.write_box * level.vectors + vector] + copy.write_i +
                         copy.write_j * level.j_stride + copy.write_k * level.k_stride;
    for (int cell = threadIdx.x; cell < copy.size_i * copy.size_j * copy.size_k; cell += blockDim.x) {
        const int i = cell % copy.size_i, j = cell / copy.size_i % copy.size_j, k = cell / copy.size_i / copy.size_j;
        const int at = i + j * level.j_stride + k * level.k_stride;
        write[at] = read[at];
    }
}
