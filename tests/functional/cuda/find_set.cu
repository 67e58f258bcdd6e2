// __fns, and what cooperative groups make of it: shuffles in groups of any lanes. A barrier of libcu++, whose threads sleep
// while they wait.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "check.h"

namespace cg = cooperative_groups;

/// The n-th one from a bit on, one bit after another (PTX ISA, fns).
__host__ __device__ unsigned find_set(unsigned mask, int base, int n) {
    if (n == 0) return mask >> base & 1 ? base : ~0u;
    int left = n < 0 ? -n : n;
    for (int bit = base; bit >= 0 && bit < 32; bit += n < 0 ? -1 : 1)
        if ((mask >> bit & 1) != 0 && --left == 0) return bit;
    return ~0u;
}

__global__ void compare(const unsigned* masks, int* wrong) {
    const unsigned mask = masks[blockIdx.x];
    const int base = threadIdx.x;
    for (int n = -33; n <= 33; ++n)
        if (__fns(mask, base, n) != find_set(mask, base, n)) atomicAdd(wrong, 1);
}

__global__ void from_second(const int* values, int* out) {
    if ((values[threadIdx.x] & 3) != 1) return;
    const cg::coalesced_group group = cg::coalesced_threads();
    out[threadIdx.x] = group.shfl(values[threadIdx.x], 1) + 1000 * group.thread_rank();
}

__global__ void pass_on(int* cells) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int place[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int value = threadIdx.x;
    for (int step = 1; step <= 4; ++step) {
        if ((threadIdx.x & step) != 0) value += 10 * step;  // lanes come one after another
        place[(threadIdx.x + step) % 128] = value;
        barrier.arrive_and_wait();
        value = place[threadIdx.x];
        barrier.arrive_and_wait();
    }
    cells[threadIdx.x] = value;
}

int main() {
    unsigned masks[6] = {0, ~0u, 0x80000001u, 0x00ff0ff0u, 0x12345678u, 0xdeadbeefu};
    unsigned* device_masks;
    int *cells, values[128], wrong_ones = -1;
    CUDA_CHECK(cudaMalloc(&device_masks, sizeof masks));
    CUDA_CHECK(cudaMemcpy(device_masks, masks, sizeof masks, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc(&cells, sizeof values));
    CUDA_CHECK(cudaMemset(cells, 0, sizeof values));
    compare<<<6, 32>>>(device_masks, cells);
    CUDA_CHECK(cudaMemcpy(&wrong_ones, cells, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(wrong_ones == 0);

    int* out;
    CUDA_CHECK(cudaMalloc(&out, sizeof values));
    CUDA_CHECK(cudaMemset(out, 0, sizeof values));
    for (int i = 0; i < 32; ++i) values[i] = i * i % 23;
    CUDA_CHECK(cudaMemcpy(cells, values, sizeof values, cudaMemcpyHostToDevice));
    from_second<<<1, 32>>>(cells, out);
    int results[128], members = 0, second = -1;
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i)
        if ((values[i] & 3) == 1 && ++members == 2) second = values[i];
    members = 0;
    for (int i = 0; i < 32; ++i) EXPECT(results[i] == ((values[i] & 3) == 1 ? second + 1000 * members++ : 0));

    pass_on<<<1, 128>>>(out);
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    int expected[128], moved[128];
    for (int i = 0; i < 128; ++i) expected[i] = i;
    for (int step = 1; step <= 4; ++step) {
        for (int i = 0; i < 128; ++i) moved[(i + step) % 128] = expected[i] + ((i & step) != 0 ? 10 * step : 0);
        for (int i = 0; i < 128; ++i) expected[i] = moved[i];
    }
    for (int i = 0; i < 128; ++i) EXPECT(results[i] == expected[i]);
    return finish("find set");
}
