// Every intrinsic of vector_memory.cuh once, of every length, in a CTA of 32 threads: each thread reads and writes words of
// its own. Compiled as inline PTX (intrinsics.ptx) and as plain code (intrinsics_plain.ptx) by regenerate_ptx.
#include "../../../experiments/studies/vecmem/forms/vector_memory.cuh"

constexpr int kOwn = 64;  // words of a thread in each array; `to` has three times as many

#define ALL_INTRINSICS(n)                                                                                    \
    extern "C" __global__ void all_##n(const int* indices, const float* from, float* to, int stride) {       \
        __shared__ float tile[32 * kOwn];                                                                    \
        const int thread = threadIdx.x;                                                                      \
        const float* own = from + kOwn * thread;                                                             \
        float *mine = tile + kOwn * thread, *out = to + 3 * kOwn * thread;                                   \
        for (int i = 0; i < kOwn; ++i) mine[i] = own[i];                                                     \
        const auto at = __ldstride##n(indices + 16 * thread, 1);                                             \
        const auto picked = __ldindirect##n(own, at);                                                        \
        const auto spaced = __ldstride##n(own, stride);                                                      \
        __ststride##n(out, stride, picked);                                                                  \
        __stindirect##n(out + kOwn, at, spaced);                                                             \
        const auto spaced_here = __ldstride##n##_shared(mine + 1, stride);                                   \
        const auto picked_here = __ldindirect##n##_shared(mine, at);                                         \
        __ststride##n##_shared(mine + 2, stride, picked_here);                                               \
        __stindirect##n##_shared(mine, at, spaced_here);                                                     \
        for (int i = 0; i < kOwn; ++i) out[2 * kOwn + i] = mine[i];                                          \
    }
ALL_INTRINSICS(4)
ALL_INTRINSICS(8)
ALL_INTRINSICS(16)
