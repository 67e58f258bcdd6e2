// The sum of 4096 integers: static and dynamic shared memory, shuffles, a template, a struct parameter, two launches.
#include <cstdio>
#include <vector>

struct Range {
    const int* first;
    char unused;
    int count;
};

template <int kThreads>
__global__ void reduce(Range range, int* sums) {
    __shared__ int warps[kThreads / 32];
    extern __shared__ int copies[];
    int sum = 0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < range.count; i += gridDim.x * kThreads) sum += range.first[i];
    copies[threadIdx.x] = sum;
    __syncthreads();
    sum = copies[kThreads - 1 - threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int w = 0; w < kThreads / 32; ++w) total += warps[w];
        sums[blockIdx.x] = total;
    }
}

int main() {
    const int n = 4096, blocks = 4;
    std::vector<int> values(n);
    long expected = 0;
    for (int i = 0; i < n; ++i) expected += values[i] = (i * 7919) % 1000 - 300;
    int *in, *sums, *total;
    cudaMalloc((void**)&in, n * sizeof(int));
    cudaMalloc((void**)&sums, blocks * sizeof(int));
    cudaMalloc((void**)&total, sizeof(int));
    cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(total, 0xff, sizeof(int));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    reduce<256><<<blocks, 256, 256 * sizeof(int)>>>(Range{in, 'x', n}, sums);
    reduce<32><<<1, 32, 32 * sizeof(int)>>>(Range{sums, 'y', blocks}, total);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    int sum = 0;
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDefault);
    const bool correct = sum == expected && milliseconds > 0;
    std::printf("sum %d, expected %ld: %s\n", sum, expected, correct ? "correct" : "wrong");
    return !correct;
}
