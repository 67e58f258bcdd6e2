// The loop of looped.cu with vector memory instructions: the coordinates of a round's atoms are strided.
#include "../vector_rounds.cuh"
#include "../../../../workloads/comd/kernel.cu"

template <int kLength, bool kPairs>
__device__ inline void force_in_rounds(const Cells& cells, const AtomList& list, const Table& pair,
                                       const Table& density, float cutoff) {
    force<kPairs>(cells, list, cutoff, [&](Sums& sums, int me, float x, float y, float z, float cutoff2, int cell) {
        const int first = cell * kCellAtoms;
        in_rounds<kLength>(first, first + cells.atoms[cell], 1, [&](auto count, int other) {
            const auto xs = read_strided(count, cells.x + other, 1);
            const auto ys = read_strided(count, cells.y + other, 1);
            const auto zs = read_strided(count, cells.z + other, 1);
            each(count, [&](int u) {
                add<kPairs>(sums, cells, me, other + u, x - xs[u], y - ys[u], z - zs[u], pair, density, cutoff2);
            });
        });
    });
}

#define COMD(length)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                            \
        comd_pairs_v##length(Cells cells, AtomList list, Table pair, Table density, float cutoff) {                   \
        force_in_rounds<length, true>(cells, list, pair, density, cutoff);                                            \
    }                                                                                                                 \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                            \
        comd_densities_v##length(Cells cells, AtomList list, Table density, float cutoff) {                           \
        force_in_rounds<length, false>(cells, list, density, density, cutoff);                                        \
    }
FOR_VECTOR_LENGTHS(COMD)
