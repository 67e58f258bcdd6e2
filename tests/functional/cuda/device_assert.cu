// assert() that holds, and with an argument one that fails in thread 6 of block 2: cudaErrorAssert; with two a trap.
#include <cassert>
#include <cstdio>

__global__ void check(const int* values, int n, int wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) assert(values[i] != wrong);
}
__global__ void stop() {
    __trap();
}

int main(int argc, char**) {
    int host[100];
    for (int i = 0; i < 100; ++i) host[i] = i == 70 ? 7 : 1;
    int* values = nullptr;
    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    if (argc < 3)
        check<<<4, 32>>>(values, 100, argc == 1 ? 8 : 7);
    else
        stop<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%d\n", error);
    const cudaError_t expected[] = {cudaSuccess, cudaErrorAssert, cudaErrorLaunchFailure};
    if (error != expected[argc - 1]) return 1;
    if (argc == 1) cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    const bool correct = cudaFree(values) == error;
    std::printf("assert: %s\n", correct ? "correct" : "wrong");
    return !correct;
}
