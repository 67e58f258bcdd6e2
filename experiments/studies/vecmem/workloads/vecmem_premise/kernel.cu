// Crago et al., ACM TACO 2018, listing 1 and section 4: a loop in which each thread reads elements with a stride between
// them. Here a thread reads 16 of them, `gap` apart, and ARITHMETIC dependent instructions use each; `distinct` warps have
// data of their own, which the others read again. strided_ARITHMETIC_N is the loop with N elements a round,
// strided_ARITHMETIC_v8 has a vector of eight in each round.
#include "../../forms/vector_rounds.cuh"

// `read(count, place)` reads a round's elements.
template <int kRound, int kArithmetic, class Read>
__device__ inline void sum_up(const float* in, float* out, int distinct, int gap, const Read& read) {
    const int lane = threadIdx.x % 32, lines = gap / 32;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32 % distinct;
    // Warps that are neighbours read neighbouring lines until the next gap begins.
    const float* first = in + warp / lines * 16 * gap + warp % lines * 32 + lane;
    float sum = 0;
    in_rounds<kRound>(0, 16, 1, [&](auto count, int i) {
        const auto values = read(count, first + i * gap);
        each(count, [&](int u) {
            float value = values[u];
#pragma unroll
            for (int k = 0; k < kArithmetic; ++k) { value = fmaf(value, 0.5f, 1.0f); }
            sum += value;
        });
    });
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define LOOP(ARITHMETIC, N)                                                                                    \
    extern "C" __global__ void strided_##ARITHMETIC##_##N(const float* in, float* out, int distinct, int gap) {\
        sum_up<N, ARITHMETIC>(in, out, distinct, gap, [&](auto count, const float* p) {                        \
            Words<float, count.value> values;                                                                  \
            each(count, [&](int u) { values[u] = p[u * gap]; });                                               \
            return values;                                                                                     \
        });                                                                                                    \
    }
#define VECTOR(ARITHMETIC)                                                                                     \
    extern "C" __global__ void strided_##ARITHMETIC##_v8(const float* in, float* out, int distinct, int gap) { \
        sum_up<8, ARITHMETIC>(in, out, distinct, gap,                                                          \
                              [&](auto count, const float* p) { return read_strided(count, p, gap); });        \
    }
#define KERNELS(ARITHMETIC) LOOP(ARITHMETIC, 1) LOOP(ARITHMETIC, 4) VECTOR(ARITHMETIC)
KERNELS(1)
KERNELS(4)
KERNELS(16)
KERNELS(64)
