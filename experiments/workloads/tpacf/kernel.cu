// Two-point angular correlation. Set 0 holds the observed points, the others random ones; all are unit vectors. Block b counts
// the pairs within set b, and, behind the sets, those of observed points and points of set b - sets. A bin spans angles
// whose cosines lie between two bounds.
constexpr int kThreads = 256;
constexpr int kBins = 20;
constexpr int kLanes = 32;
constexpr int kHistogramsPerWarp = 16;
constexpr int kThreadsPerHistogram = kLanes / kHistogramsPerWarp;
constexpr int kHistograms = kThreads / kThreadsPerHistogram;
constexpr int kHalf = kHistograms / 2;

struct Vector {
    float x, y, z;
};

__constant__ float tpacf_bounds[kBins + 1];

extern "C" __global__ void tpacf_histograms(unsigned long long* histograms, const float* all_x, const float* all_y,
                                            const float* all_z, int sets, int points) {
    __shared__ Vector tile[kThreads];
    __shared__ unsigned counts[kBins][kHistograms];
    const int thread = threadIdx.x;
    const bool is_self = blockIdx.x < sets + 1;
    const int first = is_self ? 0 : sets;
    const int other = points * (blockIdx.x - first), own = is_self ? other : 0;

    for (int i = 0; i < kBins * kHistograms; i += kThreads) {
        if (i + thread < kBins * kHistograms) counts[(i + thread) / kHistograms][(i + thread) % kHistograms] = 0;
    }
    for (int i = 0; i < points; i += kThreads) {
        if (i + thread < points) {
            tile[thread] = {all_x[own + i + thread], all_y[own + i + thread], all_z[own + i + thread]};
        }
        __syncthreads();
        // Pairs of a set count once: with points that come later.
        for (int j = is_self ? i + 1 : 0; j < points; j += kThreads) {
            float x = 0.0f, y = 0.0f, z = 0.0f;
            if (j + thread < points) {
                x = all_x[other + j + thread];
                y = all_y[other + j + thread];
                z = all_z[other + j + thread];
            }
#pragma unroll 1  // as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA guide 4.0, B.19)
            for (int k = 0; k < kThreads && i + k < points; ++k) {
                const float cosine = fmaf(tile[k].z, z, fmaf(tile[k].y, y, tile[k].x * x));
                int low = 0, high = kBins;
                while (high > low + 1) {
                    const int middle = (low + high) / 2;
                    if (cosine >= tpacf_bounds[middle]) {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                if (cosine < tpacf_bounds[low] && cosine >= tpacf_bounds[high] && (!is_self || j + thread > i + k) &&
                    j + thread < points) {
                    atomicAdd(&counts[high - 1][thread / kThreadsPerHistogram], 1u);
                }
            }
        }
        __syncthreads();
    }

    // The block's histograms are added up by a tree, as many bins at a time as there are threads for.
    const int histogram = thread % kHalf, bin = thread / kHalf;
    for (int offset = kHalf; offset > 0; offset /= 2) {
        for (int base = 0; base < kBins; base += kThreads / kHalf) {
            __syncthreads();
            if (histogram < offset && base + bin < kBins) {
                counts[base + bin][histogram] += counts[base + bin][histogram + offset];
            }
        }
    }
    __syncthreads();
    if (thread < kBins) histograms[blockIdx.x * kBins + thread] = counts[thread][0];
}
