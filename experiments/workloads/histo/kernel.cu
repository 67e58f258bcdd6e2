// A histogram whose bins saturate at 255. A range of kRangeBins bins fits into a block's shared memory, four bins to a word.
// The first kernel estimates which ranges hold the middle of the distribution; the main kernel counts these in shared memory,
// with a column of kBlocks blocks for each, and the others in device memory; the last adds all up.
constexpr int kThreads = 512;
constexpr int kRows = 24;  // of 256 words: shared memory of a block
constexpr int kRangeBins = kRows * 1024;
constexpr int kBlocks = 14;
constexpr int kLines = 16;  // that a block of the second kernel takes

// Mean and deviation of what each thread sees of an eighth of the block's part; their means over the block bound the middle.
extern "C" __global__ void histo_prescan(const unsigned* input, int size, unsigned* ranges) {
    __shared__ float means[kThreads], deviations[kThreads];
    const int part = size / gridDim.x;
    const int begin = blockIdx.x * part + threadIdx.x, end = blockIdx.x * part + part / 8;
    float mean = 0.0f, deviation = 0.0f;
    unsigned count = 0;
    for (int i = begin; i < end; i += blockDim.x) {
        mean += input[i];
        ++count;
    }
    mean /= count;
    means[threadIdx.x] = mean;
    for (int i = begin; i < end; i += blockDim.x) deviation += (input[i] - mean) * (input[i] - mean);
    deviation /= count;
    deviations[threadIdx.x] = sqrtf(deviation);

    // The suite leaves out the barriers of the last levels, which one warp works on.
    for (int width = kThreads / 2; width >= 2; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) {
            means[threadIdx.x] += means[threadIdx.x + width];
            deviations[threadIdx.x] += deviations[threadIdx.x + width];
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const float middle = (means[0] + means[1]) / kThreads;
        const float reach = 10.0f * ((deviations[0] + deviations[1]) / kThreads);
        atomicMin(ranges, (unsigned)(middle - reach) / kRangeBins);
        atomicMax(ranges + 1, (unsigned)(middle + reach) / kRangeBins);
    }
}

// The bin's range, row, word and place in the word.
__device__ inline uchar4 place_of(unsigned bin) {
    uchar4 place;
    place.x = bin / kRangeBins;
    place.y = (bin >> 10) % kRows;
    place.z = (bin >> 2) % 256;
    place.w = bin % 4 * 8;
    return place;
}

// A thread takes two neighbouring pixels of each line; `pitch` pairs make a line, of which the last may have one pixel.
extern "C" __global__ void histo_places(const uint2* input, unsigned height, unsigned width, unsigned pitch, uchar4* places) {
    const unsigned line = kLines * blockIdx.x;
    const uint2* pair = input + line * pitch + threadIdx.x;
    unsigned to = line * width + threadIdx.x;
    const bool is_single = width % 2 != 0 && threadIdx.x == blockDim.x - 1;
#pragma unroll
    for (int i = 0; i < kLines; ++i) {
        const uint2 bins = *pair;
        places[to] = place_of(bins.x);
        if (!is_single) places[to + blockDim.x] = place_of(bins.y);
        pair += pitch;
        to += width;
    }
}

__device__ inline unsigned bin_at(uchar4 place) {
    return place.x * kRangeBins + (place.y << 10) + (place.z << 2) + place.w / 8;
}

// Counts a pixel of a range that no block has in shared memory: two bins to a word, no further than saturation.
__device__ inline void count_outside(unsigned* outside, unsigned first_range, unsigned last_range, uchar4 place) {
    if (place.x < first_range || place.x > last_range) {
        const unsigned bin = bin_at(place), shift = bin % 2 * 16;
        if ((outside[bin / 2] >> shift & 0xFFFF) < 255) atomicAdd(outside + bin / 2, 1u << shift);
    }
}

// Counts a pixel of the block's range. A bin that was at 255 goes on at 0 and adds one to the bin above it in the word, which
// may be at 255 in its turn: `overflow` gets what makes each of them right.
__device__ inline void count_inside(unsigned* overflow, unsigned (*counts)[256], unsigned range, uchar4 place) {
    if (place.x != range) return;
    const unsigned before = atomicAdd(&counts[place.y][place.z], 1u << place.w);
    if ((before >> place.w & 0xFF) != 255) return;
    unsigned* right = overflow + bin_at(place);
    atomicAdd(right, 256u);
#pragma unroll
    for (int above = 1; above < 4; ++above) {
        const unsigned shift = place.w + 8 * above;
        if (shift >= 32) break;
        ++right;
        if ((before >> shift & 0xFF) != 255) {
            atomicAdd(right, 0xFFFFFFFFu);  // one less
            break;
        }
        atomicAdd(right, 255u);
    }
}

// Block (x, y) counts every kBlocks-th part of the image in range first_range + y, and for y = 0 what lies outside.
extern "C" __global__ void histo_main(const uchar4* places, unsigned size, unsigned first_range, unsigned last_range,
                                      unsigned bins, unsigned* partial, unsigned* outside, unsigned* overflow) {
    __shared__ unsigned counts[kRows][256];
    unsigned* words = &counts[0][0];
    const unsigned range = first_range + blockIdx.y;
    for (int i = threadIdx.x; i < kRangeBins / 4; i += blockDim.x) words[i] = 0;
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.y == 0) {
        while (i < size) {
            const uchar4 place = places[i];
            i += blockDim.x * gridDim.x;
            count_inside(overflow, counts, range, place);
            count_outside(outside, first_range, last_range, place);
        }
    } else {
        while (i < size) {
            const uchar4 place = places[i];
            i += blockDim.x * gridDim.x;
            count_inside(overflow, counts, range, place);
        }
    }
    __syncthreads();
    unsigned* mine = partial + blockIdx.x * (bins / 4) + range * (kRangeBins / 4);
    for (int j = threadIdx.x; j < kRangeBins / 4; j += blockDim.x) mine[j] = words[j];
}

// Bins begin to end, in fours, of those counted outside; the counts are cleared for the next image.
__device__ inline void finish_outside(ushort4* outside, uchar4* histogram, unsigned begin, unsigned end) {
    for (unsigned i = begin + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x) {
        const ushort4 count = outside[i];
        outside[i] = make_ushort4(0, 0, 0, 0);
        histogram[i] = make_uchar4(min(count.x, 255), min(count.y, 255), min(count.z, 255), min(count.w, 255));
    }
}

// The histogram, four bins a thread and round: below the ranges in shared memory, these, and above them.
extern "C" __global__ void histo_final(unsigned first_range, unsigned last_range, unsigned bins, const unsigned* partial,
                                       ushort4* outside, uint4* overflow, uchar4* histogram) {
    const unsigned middle = first_range * (kRangeBins / 4);
    const unsigned above = (last_range + 1) * (kRangeBins / 4);
    finish_outside(outside, histogram, 0, middle);
    for (unsigned i = middle + blockIdx.x * blockDim.x + threadIdx.x; i < above; i += gridDim.x * blockDim.x) {
        uint4 count = overflow[i];
        overflow[i] = make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int j = 0; j < kBlocks; ++j) {
            const unsigned word = partial[i + j * (bins / 4)];
            count.x += word & 0xFF;
            count.y += word >> 8 & 0xFF;
            count.z += word >> 16 & 0xFF;
            count.w += word >> 24;
        }
        histogram[i] = make_uchar4(min(count.x, 255u), min(count.y, 255u), min(count.z, 255u), min(count.w, 255u));
    }
    finish_outside(outside, histogram, above, bins / 4);
}
