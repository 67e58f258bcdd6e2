// The search of kernel.cu, which goes over a point's features in its innermost loop as it is, with that loop unrolled.
#include "../looped.cuh"
#include "../../../../workloads/kmeans/kernel.cu"

template <int kUnroll>
__device__ inline void search(const float* features, int feature_count, int points, int clusters, int* membership) {
    const unsigned block = gridDim.x * blockIdx.y + blockIdx.x;
    const unsigned point = block * blockDim.x * blockDim.y + threadIdx.x;
    if (point >= points) return;
    int nearest = -1;
    float least = 3.402823466e+38f;
#pragma unroll 1
    for (int cluster = 0; cluster < clusters; ++cluster) {
        const int base = cluster * feature_count;
        float distance = 0.0f;
        in_rounds<kUnroll>(0, feature_count, 1, [&](auto count, int i) {
            float value[count.value];
            each(count, [&](int u) { value[u] = features[point + (i + u) * points]; });
            each(count, [&](int u) {
                const float difference = value[u] - kmeans_centres[base + i + u];
                distance += difference * difference;
            });
        });
        if (distance < least) {
            least = distance;
            nearest = cluster;
        }
    }
    membership[point] = nearest;
}

#define KMEANS(unroll)                                                                                        \
    extern "C" __global__ void kmeans_search_##unroll(const float* features, int feature_count, int points,   \
                                                      int clusters, int* membership) {                        \
        search<unroll>(features, feature_count, points, clusters, membership);                                \
    }
FOR_UNROLL_FACTORS(KMEANS)
