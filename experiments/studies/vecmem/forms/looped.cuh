// For the looped.cu files: loops over elements that take kUnroll of them a round, and one a round at the end.
#pragma once

template <int kCount>
struct Count {
    static constexpr int value = kCount;
};

// Calls `round(count, i)` with the first of its `count` elements i, i + stride, ..., from `first` on, below `end`.
template <int kUnroll, class Round>
__device__ inline void in_rounds(int first, int end, int stride, const Round& round) {
    int i = first;
#pragma unroll 1
    for (; i + (kUnroll - 1) * stride < end; i += kUnroll * stride) round(Count<kUnroll>{}, i);
    if constexpr (kUnroll > 1) {
#pragma unroll 1
        for (; i < end; i += stride) round(Count<1>{}, i);
    }
}

// Calls `what(u)` for u from 0 below `count`, without a loop.
template <int kCount, class What>
__device__ inline void each(Count<kCount>, const What& what) {
#pragma unroll
    for (int u = 0; u < kCount; ++u) what(u);
}

// The kernels of all unroll factors, or of those where a thread has no more than eight elements or no registers for more:
// `kernel` is a macro that takes the factor.
#define FOR_UNROLL_FACTORS_TO_8(kernel) kernel(1) kernel(2) kernel(4) kernel(8)
#define FOR_UNROLL_FACTORS(kernel) FOR_UNROLL_FACTORS_TO_8(kernel) kernel(16)
