// Work in two streams with asynchronous copies from pinned memory, ordered by events, and a function of the host.
#include "check.h"

__global__ void scale(const float* in, float* out, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}
__global__ void add(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

int main() {
    const int n = 512;
    const std::size_t bytes = n * sizeof(float);
    float *host_in, *host_out, *in, *doubled, *tripled, *sum;
    CUDA_CHECK(cudaMallocHost(&host_in, bytes));
    CUDA_CHECK(cudaMallocHost(&host_out, bytes));
    CUDA_CHECK(cudaMalloc(&in, bytes));
    CUDA_CHECK(cudaMalloc(&doubled, bytes));
    CUDA_CHECK(cudaMalloc(&tripled, bytes));
    CUDA_CHECK(cudaMalloc(&sum, bytes));
    for (int i = 0; i < n; ++i) host_in[i] = static_cast<float>(i);

    cudaStream_t first, second;
    CUDA_CHECK(cudaStreamCreate(&first));
    CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    unsigned flags = 0;
    CUDA_CHECK(cudaStreamGetFlags(second, &flags));
    EXPECT(flags == cudaStreamNonBlocking);
    cudaEvent_t copied, scaled;
    CUDA_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming));

    CUDA_CHECK(cudaMemcpyAsync(in, host_in, bytes, cudaMemcpyHostToDevice, first));
    CUDA_CHECK(cudaEventRecord(copied, first));
    CUDA_CHECK(cudaStreamWaitEvent(second, copied, 0));
    scale<<<4, 128, 0, first>>>(in, doubled, 2, n);
    scale<<<4, 128, 0, second>>>(in, tripled, 3, n);
    CUDA_CHECK(cudaEventRecord(scaled, second));
    CUDA_CHECK(cudaStreamWaitEvent(first, scaled, 0));
    add<<<4, 128, 0, first>>>(doubled, tripled, sum, n);
    CUDA_CHECK(cudaMemcpyAsync(host_out, sum, bytes, cudaMemcpyDeviceToHost, first));
    bool called = false;
    CUDA_CHECK(cudaLaunchHostFunc(
        first, [](void* flag) { *static_cast<bool*>(flag) = true; }, &called));
    CUDA_CHECK(cudaStreamSynchronize(first));
    EXPECT(called);
    EXPECT(cudaStreamQuery(second) == cudaSuccess);
    EXPECT(cudaEventQuery(scaled) == cudaSuccess);
    for (int i = 0; i < n; ++i) EXPECT(host_out[i] == 5.0f * static_cast<float>(i));
    CUDA_CHECK(cudaStreamDestroy(first));
    CUDA_CHECK(cudaStreamDestroy(second));
    CUDA_CHECK(cudaFreeHost(host_in));
    CUDA_CHECK(cudaFreeHost(host_out));
    return finish("streams");
}
