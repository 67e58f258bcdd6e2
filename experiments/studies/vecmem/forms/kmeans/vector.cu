// The search of looped.cu with vector memory instructions: a round's features of the point are strided. The centres stay in
// constant memory, as in the suite.
#include "../vector_rounds.cuh"
#include "../../../../workloads/kmeans/kernel.cu"

template <int kLength>
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
        in_rounds<kLength>(0, feature_count, 1, [&](auto count, int i) {
            const auto value = read_strided(count, features + point + i * points, points);
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

#define KMEANS(length)                                                                                        \
    extern "C" __global__ void kmeans_search_v##length(const float* features, int feature_count, int points,   \
                                                      int clusters, int* membership) {                        \
        search<length>(features, feature_count, points, clusters, membership);                                \
    }
FOR_VECTOR_LENGTHS(KMEANS)
