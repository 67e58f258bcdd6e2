// The kernels of kernel.cu with the loops unrolled that Crago et al. count (table 2): of the main kernel those over the
// pixels, of the last those over the bins outside and over the blocks' counts. Counts outside are read and cleared as words
// of two, for the vector memory instructions move words (section 4.2).
#include "../looped.cuh"
#include "../../../../workloads/histo/kernel.cu"

template <int kUnroll>
__device__ inline void count_pixels(unsigned (*counts)[256], const uchar4* places, unsigned size, unsigned first_range,
                                    unsigned last_range, unsigned bins, unsigned* partial, unsigned* outside,
                                    unsigned* overflow) {
    unsigned* const words = &counts[0][0];
    const unsigned range = first_range + blockIdx.y;
    for (int i = threadIdx.x; i < kRangeBins / 4; i += blockDim.x) words[i] = 0;
    __syncthreads();
    const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
    const auto go_over_pixels = [&](const auto& add) {
        in_rounds<kUnroll>(first, size, stride, [&](auto count, int i) {
            uchar4 place[count.value];
            each(count, [&](int u) { place[u] = places[i + u * stride]; });
            each(count, [&](int u) { add(place[u]); });
        });
    };
    if (blockIdx.y == 0) {
        go_over_pixels([&](uchar4 place) {
            count_inside(overflow, counts, range, place);
            count_outside(outside, first_range, last_range, place);
        });
    } else {
        go_over_pixels([&](uchar4 place) { count_inside(overflow, counts, range, place); });
    }
    __syncthreads();
    unsigned* const mine = partial + blockIdx.x * (bins / 4) + range * (kRangeBins / 4);
    for (int j = threadIdx.x; j < kRangeBins / 4; j += blockDim.x) mine[j] = words[j];
}

template <int kUnroll>
__device__ inline void finish_outside_in_rounds(unsigned* outside, uchar4* histogram, unsigned begin, unsigned end) {
    const int stride = gridDim.x * blockDim.x;
    in_rounds<kUnroll>(begin + blockIdx.x * blockDim.x + threadIdx.x, end, stride, [&](auto count, int i) {
        unsigned low[count.value], high[count.value];
        each(count, [&](int u) { low[u] = outside[2 * (i + u * stride)]; });
        each(count, [&](int u) { high[u] = outside[2 * (i + u * stride) + 1]; });
        each(count, [&](int u) { outside[2 * (i + u * stride)] = 0; });
        each(count, [&](int u) { outside[2 * (i + u * stride) + 1] = 0; });
        each(count, [&](int u) {
            histogram[i + u * stride] = make_uchar4(min(low[u] & 0xFFFF, 255u), min(low[u] >> 16, 255u),
                                                    min(high[u] & 0xFFFF, 255u), min(high[u] >> 16, 255u));
        });
    });
}

template <int kUnroll>
__device__ inline void finish(unsigned first_range, unsigned last_range, unsigned bins, const unsigned* partial,
                              unsigned* outside, uint4* overflow, uchar4* histogram) {
    const unsigned middle = first_range * (kRangeBins / 4);
    const unsigned above = (last_range + 1) * (kRangeBins / 4);
    finish_outside_in_rounds<kUnroll>(outside, histogram, 0, middle);
#pragma unroll 1
    for (unsigned i = middle + blockIdx.x * blockDim.x + threadIdx.x; i < above; i += gridDim.x * blockDim.x) {
        uint4 sum = overflow[i];
        overflow[i] = make_uint4(0, 0, 0, 0);
        in_rounds<kUnroll>(0, kBlocks, 1, [&](auto count, int j) {
            unsigned word[count.value];
            each(count, [&](int u) { word[u] = partial[i + (j + u) * (bins / 4)]; });
            each(count, [&](int u) {
                sum.x += word[u] & 0xFF;
                sum.y += word[u] >> 8 & 0xFF;
                sum.z += word[u] >> 16 & 0xFF;
                sum.w += word[u] >> 24;
            });
        });
        histogram[i] = make_uchar4(min(sum.x, 255u), min(sum.y, 255u), min(sum.z, 255u), min(sum.w, 255u));
    }
    finish_outside_in_rounds<kUnroll>(outside, histogram, above, bins / 4);
}

#define HISTO(unroll)                                                                                                  \
    extern "C" __global__ void histo_main_##unroll(const uchar4* places, unsigned size, unsigned first_range,          \
                                                   unsigned last_range, unsigned bins, unsigned* partial,              \
                                                   unsigned* outside, unsigned* overflow) {                            \
        __shared__ unsigned counts[kRows][256];                                                                        \
        count_pixels<unroll>(counts, places, size, first_range, last_range, bins, partial, outside, overflow);         \
    }                                                                                                                  \
    extern "C" __global__ void histo_final_##unroll(unsigned first_range, unsigned last_range, unsigned bins,          \
                                                    const unsigned* partial, unsigned* outside, uint4* overflow,       \
                                                    uchar4* histogram) {                                               \
        finish<unroll>(first_range, last_range, bins, partial, outside, overflow, histogram);                          \
    }
FOR_UNROLL_FACTORS_TO_8(HISTO)
