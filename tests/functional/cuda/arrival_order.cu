// Blocks note in which order they arrive. Any order is right, so a replay of the capture, whose order is another, differs from it;
// run live the program sees the order of the timing model, and its own check decides.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void arrive(int* arrivals, int* order, const float* work, float* sums) {
    const int first = blockIdx.x * 100, last = first + 40 * ((blockIdx.x * 7) % 13);
    float sum = 0;
    for (int i = first; i < last; ++i) sum += work[i % 4096];
    sums[blockIdx.x] = sum;
    if (threadIdx.x == 0) order[atomicAdd(arrivals, 1)] = blockIdx.x;
}

int main() {
    constexpr int kBlocks = 100;
    int *arrivals, *order;
    float *work, *sums;
    cudaMalloc(&arrivals, sizeof(int));
    cudaMalloc(&order, kBlocks * sizeof(int));
    cudaMalloc(&work, 4096 * sizeof(float));
    cudaMalloc(&sums, kBlocks * sizeof(float));
    cudaMemset(arrivals, 0, sizeof(int));
    cudaMemset(work, 0, 4096 * sizeof(float));
    arrive<<<kBlocks, 32>>>(arrivals, order, work, sums);
    std::vector<int> found(kBlocks);
    cudaMemcpy(found.data(), order, kBlocks * sizeof(int), cudaMemcpyDeviceToHost);
    std::sort(found.begin(), found.end());
    bool correct = true;
    for (int i = 0; i < kBlocks; ++i) correct = correct && found[i] == i;
    std::printf("arrival order: %s\n", correct ? "correct" : "wrong");
    return correct ? 0 : 1;
}
