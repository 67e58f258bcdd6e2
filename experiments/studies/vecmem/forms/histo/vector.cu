// The kernels of looped.cu with vector memory instructions: pixels' places, counts outside (words of two), the blocks' counts
// and the histogram's words of four bins are strided.
#include "../vector_rounds.cuh"
#include "../../../../workloads/histo/kernel.cu"

__device__ inline uchar4 unpacked(unsigned word) {
    return make_uchar4(word & 0xFF, word >> 8 & 0xFF, word >> 16 & 0xFF, word >> 24);
}

template <int kLength>
__device__ inline void count_pixels(unsigned (*counts)[256], const uchar4* places, unsigned size, unsigned first_range,
                                    unsigned last_range, unsigned bins, unsigned* partial, unsigned* outside,
                                    unsigned* overflow) {
    unsigned* const words = &counts[0][0];
    const unsigned range = first_range + blockIdx.y;
    for (int i = threadIdx.x; i < kRangeBins / 4; i += blockDim.x) words[i] = 0;
    __syncthreads();
    const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
    const unsigned* const place_words = reinterpret_cast<const unsigned*>(places);
    const auto go_over_pixels = [&](const auto& add) {
        in_rounds<kLength>(first, size, stride, [&](auto count, int i) {
            const auto place = read_strided(count, place_words + i, stride);
            each(count, [&](int u) { add(unpacked(place[u])); });
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

__device__ inline unsigned saturated(unsigned a, unsigned b, unsigned c, unsigned d) {
    return min(a, 255u) | min(b, 255u) << 8 | min(c, 255u) << 16 | min(d, 255u) << 24;
}

template <int kLength>
__device__ inline void finish_outside_in_rounds(unsigned* outside, uchar4* histogram, unsigned begin, unsigned end) {
    const int stride = gridDim.x * blockDim.x;
    unsigned* const bins = reinterpret_cast<unsigned*>(histogram);
    in_rounds<kLength>(begin + blockIdx.x * blockDim.x + threadIdx.x, end, stride, [&](auto count, int i) {
        const auto low = read_strided(count, outside + 2 * i, 2 * stride);
        const auto high = read_strided(count, outside + 2 * i + 1, 2 * stride);
        Words<unsigned, count.value> zeros, four;
        each(count, [&](int u) { zeros[u] = 0; });
        write_strided(count, outside + 2 * i, 2 * stride, zeros);
        write_strided(count, outside + 2 * i + 1, 2 * stride, zeros);
        each(count, [&](int u) { four[u] = saturated(low[u] & 0xFFFF, low[u] >> 16, high[u] & 0xFFFF, high[u] >> 16); });
        write_strided(count, bins + i, stride, four);
    });
}

template <int kLength>
__device__ inline void finish(unsigned first_range, unsigned last_range, unsigned bins, const unsigned* partial,
                              unsigned* outside, uint4* overflow, uchar4* histogram) {
    const unsigned middle = first_range * (kRangeBins / 4);
    const unsigned above = (last_range + 1) * (kRangeBins / 4);
    finish_outside_in_rounds<kLength>(outside, histogram, 0, middle);
#pragma unroll 1
    for (unsigned i = middle + blockIdx.x * blockDim.x + threadIdx.x; i < above; i += gridDim.x * blockDim.x) {
        uint4 sum = overflow[i];
        overflow[i] = make_uint4(0, 0, 0, 0);
        in_rounds<kLength>(0, kBlocks, 1, [&](auto count, int j) {
            const auto word = read_strided(count, partial + i + j * (bins / 4), bins / 4);
            each(count, [&](int u) {
                sum.x += word[u] & 0xFF;
                sum.y += word[u] >> 8 & 0xFF;
                sum.z += word[u] >> 16 & 0xFF;
                sum.w += word[u] >> 24;
            });
        });
        histogram[i] = make_uchar4(min(sum.x, 255u), min(sum.y, 255u), min(sum.z, 255u), min(sum.w, 255u));
    }
    finish_outside_in_rounds<kLength>(outside, histogram, above, bins / 4);
}

#define HISTO(length)                                                                                                  \
    extern "C" __global__ void histo_main_v##length(const uchar4* places, unsigned size, unsigned first_range,         \
                                                    unsigned last_range, unsigned bins, unsigned* partial,             \
                                                    unsigned* outside, unsigned* overflow) {                           \
        __shared__ unsigned counts[kRows][256];                                                                        \
        count_pixels<length>(counts, places, size, first_range, last_range, bins, partial, outside, overflow);         \
    }                                                                                                                  \
    extern "C" __global__ void histo_final_v##length(unsigned first_range, unsigned last_range, unsigned bins,         \
                                                     const unsigned* partial, unsigned* outside, uint4* overflow,      \
                                                     uchar4* histogram) {                                              \
        finish<length>(first_range, last_range, bins, partial, outside, overflow, histogram);                          \
    }
FOR_VECTOR_LENGTHS(HISTO)
