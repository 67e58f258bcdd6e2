// Features come point by point; the first kernel turns them, so that one feature of all points is contiguous. The
// second finds for each point the centre with the least squared distance, all centres being in constant memory.
constexpr int kMaxCentreWords = 32 * 34;

__constant__ float kmeans_centres[kMaxCentreWords];

extern "C" __global__ void kmeans_transpose(const float* from, float* to, int points, int features) {
    const int point = threadIdx.x + blockDim.x * blockIdx.x;
    if (point < points) {
#pragma unroll 1  // as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA guide 4.0, B.19)
        for (int i = 0; i < features; ++i) to[point + points * i] = from[point * features + i];
    }
}

extern "C" __global__ void kmeans_search(const float* features, int feature_count, int points, int clusters,
                                         int* membership) {
    const unsigned block = gridDim.x * blockIdx.y + blockIdx.x;
    const unsigned point = block * blockDim.x * blockDim.y + threadIdx.x;
    if (point < points) {
        int nearest = -1;
        float least = 3.402823466e+38f;
#pragma unroll 1
        for (int cluster = 0; cluster < clusters; ++cluster) {
            const int base = cluster * feature_count;
            float distance = 0.0f;
#pragma unroll 1
            for (int i = 0; i < feature_count; ++i) {
                const float difference = features[point + i * points] - kmeans_centres[base + i];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                nearest = cluster;
            }
        }
        membership[point] = nearest;
    }
}
