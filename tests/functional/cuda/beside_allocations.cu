// Accesses beside an allocation, in pages that hold another: GPUs map memory in pages of 2 MiB and do not notice them, so
// that programs have them and nobody knows.
#include "check.h"

// One thread more than there are values.
__global__ void square(const int* in, int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > count) return;
    out[i] = in[i] * in[i];
}

// Reads the value before each, and does without it where there is none.
__global__ void steps(const int* in, int* out) {
    const int i = threadIdx.x, before = in[i - 1];
    out[i] = i == 0 ? in[i] : in[i] - before;
}

int main() {
    constexpr int kCount = 1000;
    int host[kCount], *in, *out;
    for (int i = 0; i < kCount; ++i) host[i] = i - 300;
    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMalloc(&out, sizeof host));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    square<<<(kCount + 128) / 128, 128>>>(in, out, kCount);
    CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kCount; ++i) EXPECT(host[i] == (i - 300) * (i - 300));

    // What lies before the first allocation is the context's.
    steps<<<1, 64>>>(in, out);
    CUDA_CHECK(cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) EXPECT(host[i] == (i == 0 ? -300 : 1));

    // The page stays while something is in it.
    int* last;
    CUDA_CHECK(cudaMalloc(&last, 4));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
    square<<<1, 4>>>(last, last, 3);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(last));
    return finish("beside allocations");
}
