// The forces of kernel.cu, which go over a cell's atoms in their innermost loop as they are, with that loop unrolled.
#include "../looped.cuh"
#include "../../../../workloads/comd/kernel.cu"

template <int kUnroll, bool kPairs>
__device__ inline void force_in_rounds(const Cells& cells, const AtomList& list, const Table& pair,
                                       const Table& density, float cutoff) {
    force<kPairs>(cells, list, cutoff, [&](Sums& sums, int me, float x, float y, float z, float cutoff2, int cell) {
        const int first = cell * kCellAtoms;
        in_rounds<kUnroll>(first, first + cells.atoms[cell], 1, [&](auto count, int other) {
            float dx[count.value], dy[count.value], dz[count.value];
            each(count, [&](int u) { dx[u] = x - cells.x[other + u]; });
            each(count, [&](int u) { dy[u] = y - cells.y[other + u]; });
            each(count, [&](int u) { dz[u] = z - cells.z[other + u]; });
            each(count, [&](int u) {
                add<kPairs>(sums, cells, me, other + u, dx[u], dy[u], dz[u], pair, density, cutoff2);
            });
        });
    });
}

#define COMD(unroll)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                            \
        comd_pairs_##unroll(Cells cells, AtomList list, Table pair, Table density, float cutoff) {                    \
        force_in_rounds<unroll, true>(cells, list, pair, density, cutoff);                                            \
    }                                                                                                                 \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                            \
        comd_densities_##unroll(Cells cells, AtomList list, Table density, float cutoff) {                            \
        force_in_rounds<unroll, false>(cells, list, density, density, cutoff);                                        \
    }
FOR_UNROLL_FACTORS_TO_8(COMD)
