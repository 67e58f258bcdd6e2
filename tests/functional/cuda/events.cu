// Events: time passes between them, more with more work, and wrong uses are errors.
#include "check.h"

__global__ void spin(unsigned* out, int rounds) {
    unsigned x = threadIdx.x + 1;
    for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
}

float time_of(int rounds, unsigned* out) {
    cudaEvent_t begin, end;
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventRecord(begin));
    spin<<<1, 32>>>(out, rounds);
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = -1;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    return milliseconds;
}

int main() {
    unsigned* out;
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(unsigned)));
    const float little = time_of(4, out);
    const float much = time_of(2000, out);
    EXPECT(little > 0);
    EXPECT(much > little);
    unsigned results[32];
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; ++i) {
        unsigned x = i + 1;
        for (int k = 0; k < 2000; ++k) x = x * 1664525u + 1013904223u;
        EXPECT(results[i] == x);
    }
    cudaEvent_t untimed, unrecorded;
    CUDA_CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreate(&unrecorded));
    CUDA_CHECK(cudaEventRecord(untimed));
    float none;
    EXPECT(cudaEventElapsedTime(&none, untimed, untimed) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventElapsedTime(&none, unrecorded, unrecorded) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    return finish("events");
}
