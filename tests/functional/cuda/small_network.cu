// A small convolutional network: weights in constant memory, a layer that reads its image as a texture, three-dimensional
// blocks, dynamic shared memory beside static, half precision for the last layer, softmax, work in two streams.
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"

constexpr int kSide = 12, kFilters = 4, kFilterSide = 3, kOut = kSide - kFilterSide + 1, kPooled = kOut / 2;
constexpr int kFeatures = kFilters * kPooled * kPooled, kClasses = 10;

__constant__ float filters[kFilters][kFilterSide][kFilterSide];
__constant__ float bias[kFilters] = {0.1f, -0.1f, 0.25f, 0.0f};

__global__ void convolve(cudaTextureObject_t image, float* out) {
    const int x = threadIdx.x, y = threadIdx.y, f = threadIdx.z + blockIdx.x * blockDim.z;
    float sum = bias[f];
#pragma unroll
    for (int dy = 0; dy < kFilterSide; ++dy)
#pragma unroll
        for (int dx = 0; dx < kFilterSide; ++dx)
            sum = fmaf(filters[f][dy][dx], tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f), sum);
    out[(f * kOut + y) * kOut + x] = fmaxf(sum, 0.0f);
}
__global__ void pool(const float4* in, __half* out) {
    extern __shared__ float plane[];
    for (int i = threadIdx.x; i < kOut * kOut / 4; i += blockDim.x)
        reinterpret_cast<float4*>(plane)[i] = in[blockIdx.x * kOut * kOut / 4 + i];
    __syncthreads();
    if (threadIdx.x >= kPooled * kPooled) return;
    const int x = 2 * (threadIdx.x % kPooled), y = 2 * (threadIdx.x / kPooled);
    const float* const corner = plane + y * kOut + x;
    const float top = fmaxf(corner[0], corner[1]), bottom = fmaxf(corner[kOut], corner[kOut + 1]);
    out[blockIdx.x * kPooled * kPooled + threadIdx.x] = __float2half(fmaxf(top, bottom));
}
/// A warp for each class.
__global__ void classify(const __half2* features, const __half2* weights, float* probabilities) {
    __shared__ float scores[kClasses];
    const int lane = threadIdx.x, row = threadIdx.y;
    float sum = 0;
    for (int i = lane; i < kFeatures / 2; i += 32) {
        const float2 product = __half22float2(__hmul2(features[i], weights[row * kFeatures / 2 + i]));
        sum += product.x + product.y;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) scores[row] = sum;
    __syncthreads();
    if (row != 0) return;
    const float score = lane < kClasses ? expf(scores[lane]) : 0.0f;
    float total = score;
    for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(~0u, total, d);
    if (lane < kClasses) probabilities[lane] = __fdividef(score, total);
}

float pixel(int x, int y) {
    return static_cast<float>((x * 7 + y * 3) % 11) * 0.125f;
}
float filter(int f, int y, int x) {
    return static_cast<float>((f * 5 + y * 3 + x) % 7 - 3) * 0.25f;
}
float weight(int c, int i) {
    return static_cast<float>((c * 13 + i * 7) % 17 - 8) * 0.0078125f;
}

void expect(float* probabilities) {
    static float maps[kFilters][kOut][kOut];
    const float biases[kFilters] = {0.1f, -0.1f, 0.25f, 0.0f};
    for (int f = 0; f < kFilters; ++f)
        for (int y = 0; y < kOut; ++y)
            for (int x = 0; x < kOut; ++x) {
                float sum = biases[f];
                for (int dy = 0; dy < kFilterSide; ++dy)
                    for (int dx = 0; dx < kFilterSide; ++dx) sum += filter(f, dy, dx) * pixel(x + dx, y + dy);
                maps[f][y][x] = std::fmax(sum, 0.0f);
            }
    float total = 0;
    for (int c = 0; c < kClasses; ++c) {
        float score = 0;
        for (int i = 0; i < kFeatures; ++i) {
            const int f = i / (kPooled * kPooled), y = 2 * (i / kPooled % kPooled), x = 2 * (i % kPooled);
            const float top = std::fmax(maps[f][y][x], maps[f][y][x + 1]);
            score += weight(c, i) * std::fmax(top, std::fmax(maps[f][y + 1][x], maps[f][y + 1][x + 1]));
        }
        total += probabilities[c] = std::exp(score);
    }
    for (int c = 0; c < kClasses; ++c) probabilities[c] /= total;
}

int main() {
    float image[kSide][kSide], host_filters[kFilters][kFilterSide][kFilterSide];
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) image[y][x] = pixel(x, y);
    for (int f = 0; f < kFilters; ++f)
        for (int y = 0; y < kFilterSide; ++y)
            for (int x = 0; x < kFilterSide; ++x) host_filters[f][y][x] = filter(f, y, x);
    static __half host_weights[kClasses * kFeatures];
    for (int i = 0; i < kClasses * kFeatures; ++i) host_weights[i] = __float2half(weight(i / kFeatures, i % kFeatures));

    cudaStream_t loading, computing;
    CUDA_CHECK(cudaStreamCreate(&loading));
    CUDA_CHECK(cudaStreamCreate(&computing));
    cudaEvent_t loaded;
    CUDA_CHECK(cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming));
    __half *weights, *features;
    float *maps, *probabilities;
    CUDA_CHECK(cudaMalloc(&weights, sizeof host_weights));
    CUDA_CHECK(cudaMalloc(&features, kFeatures * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&maps, sizeof(float) * kFilters * kOut * kOut));
    CUDA_CHECK(cudaMalloc(&probabilities, sizeof(float) * kClasses));
    CUDA_CHECK(cudaMemcpyAsync(weights, host_weights, sizeof host_weights, cudaMemcpyHostToDevice, loading));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(filters, host_filters, sizeof host_filters, 0, cudaMemcpyHostToDevice, loading));
    CUDA_CHECK(cudaEventRecord(loaded, loading));
    CUDA_CHECK(cudaStreamWaitEvent(computing, loaded, 0));

    float* pixels;
    std::size_t pitch = 0;
    CUDA_CHECK(cudaMallocPitch(&pixels, &pitch, sizeof image[0], kSide));
    CUDA_CHECK(cudaMemcpy2D(pixels, pitch, image, sizeof image[0], sizeof image[0], kSide, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pixels;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = resource.res.pitch2D.height = kSide;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    convolve<<<2, dim3(kOut, kOut, kFilters / 2), 0, computing>>>(texture, maps);
    pool<<<kFilters, 32, sizeof(float) * kOut * kOut, computing>>>(reinterpret_cast<const float4*>(maps), features);
    classify<<<1, dim3(32, kClasses), 0, computing>>>(reinterpret_cast<const __half2*>(features),
                                                      reinterpret_cast<const __half2*>(weights), probabilities);
    CUDA_CHECK(cudaGetLastError());
    float found[kClasses], expected[kClasses];
    CUDA_CHECK(cudaMemcpyAsync(found, probabilities, sizeof found, cudaMemcpyDeviceToHost, computing));
    CUDA_CHECK(cudaStreamSynchronize(computing));
    expect(expected);
    for (int c = 0; c < kClasses; ++c) EXPECT(std::fabs(found[c] - expected[c]) < 0.002f);
    return finish("small network");
}
