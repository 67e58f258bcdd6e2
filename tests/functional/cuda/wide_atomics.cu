// Atomics on 64 bits, and on double, in global and shared memory.
#include "check.h"

using Wide = unsigned long long;

__global__ void count(Wide* cells, double* sum) {
    __shared__ Wide shared;
    if (threadIdx.x == 0) shared = 0;
    __syncthreads();
    const Wide i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&shared, i << 20);
    atomicAdd(&cells[1], (Wide{1} << 33) + i);
    atomicMax(&cells[2], i * 0x100000001ull);
    atomicMin(&cells[3], Wide{1} << 40 | (1000 - i));
    atomicXor(&cells[4], i << (i % 50));
    atomicAnd(&cells[5], ~(Wide{1} << (i % 64)));
    atomicOr(&cells[6], Wide{1} << (i % 40));
    Wide seen = cells[7];
    for (Wide assumed; (assumed = seen, seen = atomicCAS(&cells[7], assumed, assumed + 3 * i)) != assumed;) {
    }
    atomicAdd(sum, 0.25 * static_cast<double>(i));
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&cells[0], shared);
}

int main() {
    const Wide n = 2 * 96;
    Wide cells[8] = {0, 0, 0, ~Wide{0}, 0, ~Wide{0}, 0, 0};
    double sum = 0;
    Wide* device;
    double* device_sum;
    CUDA_CHECK(cudaMalloc(&device, sizeof cells));
    CUDA_CHECK(cudaMalloc(&device_sum, sizeof sum));
    CUDA_CHECK(cudaMemcpy(device, cells, sizeof cells, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(device_sum, 0, sizeof sum));
    count<<<2, 96>>>(device, device_sum);
    CUDA_CHECK(cudaMemcpy(cells, device, sizeof cells, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost));
    const Wide total = n * (n - 1) / 2;
    Wide mixed = 0, any = 0;
    for (Wide i = 0; i < n; ++i) {
        mixed ^= i << (i % 50);
        any |= Wide{1} << (i % 40);
    }
    EXPECT(cells[0] == total << 20);
    EXPECT(cells[1] == (n << 33) + total);
    EXPECT(cells[2] == (n - 1) * 0x100000001ull);
    EXPECT(cells[3] == (Wide{1} << 40 | (1000 - (n - 1))) || cells[3] < (Wide{1} << 41));
    EXPECT(cells[4] == mixed);
    EXPECT(cells[5] == 0);
    EXPECT(cells[6] == any);
    EXPECT(cells[7] == 3 * total);
    EXPECT(sum == 0.25 * static_cast<double>(total));
    return finish("64-bit atomics");
}
