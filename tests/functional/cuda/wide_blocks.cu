// Blocks of 1024 threads whose kernels like to have many registers: a thread gets no more than leave room for the block.
#include "check.h"

constexpr int kValues = 40;

// All of the values are alive at once.
__device__ float mixed(const float* in, int step) {
    float values[kValues];
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i] = in[i * step];
#pragma unroll
    for (int round = 1; round < 4; ++round) {
#pragma unroll
        for (int i = 0; i < kValues; ++i) values[i] += 0.5f * values[(i + 7 * round) % kValues];
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kValues; ++i) sum += values[i] * static_cast<float>(i % 3);
    return sum;
}

__global__ void unbounded(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mixed(in + i, 1024);
}
__global__ void __launch_bounds__(1024) bounded(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mixed(in + i, 1024);
}

int main() {
    constexpr int kThreads = 1024;
    static float host[kThreads * (kValues + 1)], first[kThreads], second[kThreads];
    for (int i = 0; i < kThreads * (kValues + 1); ++i) host[i] = static_cast<float>(i * 37 % 101);
    float *in, *out;
    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMalloc(&out, sizeof first));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    unbounded<<<1, kThreads>>>(in, out);
    CUDA_CHECK(cudaMemcpy(first, out, sizeof first, cudaMemcpyDeviceToHost));
    bounded<<<1, kThreads>>>(in, out);
    CUDA_CHECK(cudaMemcpy(second, out, sizeof second, cudaMemcpyDeviceToHost));
    for (int t = 0; t < kThreads; ++t) {
        double values[kValues], sum = 0;
        for (int i = 0; i < kValues; ++i) values[i] = host[t + i * 1024];
        for (int round = 1; round < 4; ++round)
            for (int i = 0; i < kValues; ++i) values[i] += 0.5 * values[(i + 7 * round) % kValues];
        for (int i = 0; i < kValues; ++i) sum += values[i] * (i % 3);
        const double error = first[t] > sum ? first[t] - sum : sum - first[t];
        EXPECT(error <= 1e-5 * sum);
        EXPECT(first[t] == second[t]);
    }
    return finish("wide blocks");
}
