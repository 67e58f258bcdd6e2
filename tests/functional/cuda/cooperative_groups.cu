// The block and warp parts of cooperative groups: tiles, coalesced groups, reductions, and a launch of a whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void sum_tiles(const int* in, int* tile_sums, int* block_sum) {
    __shared__ int total;
    const cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) total = 0;
    block.sync();
    const auto warp = cg::tiled_partition<32>(block);
    const auto tile = cg::tiled_partition<8>(warp);
    int value = in[block.thread_rank()];
    for (int d = tile.size() / 2; d > 0; d /= 2) value += tile.shfl_down(value, d);
    if (tile.thread_rank() == 0) tile_sums[block.thread_rank() / 8] = value;
    if (tile.thread_rank() == 0) {
        const cg::coalesced_group leaders = cg::coalesced_threads();
        const int sum = cg::reduce(leaders, value, cg::plus<int>());
        if (leaders.thread_rank() == 0) atomicAdd(&total, sum);
    }
    block.sync();
    if (warp.any(threadIdx.x == 40) && warp.thread_rank() == 0) *block_sum = total;
}

int main() {
    const int n = 128;
    int values[n], sums[n / 8], total = 0, expected = 0;
    for (int i = 0; i < n; ++i) expected += values[i] = (i * 31) % 17;
    int *in, *tiles, *sum;
    CUDA_CHECK(cudaMalloc(&in, sizeof values));
    CUDA_CHECK(cudaMalloc(&tiles, sizeof sums));
    CUDA_CHECK(cudaMalloc(&sum, sizeof total));
    CUDA_CHECK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    sum_tiles<<<1, n>>>(in, tiles, sum);
    CUDA_CHECK(cudaMemcpy(sums, tiles, sizeof sums, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n / 8; ++t) {
        int tile = 0;
        for (int i = 0; i < 8; ++i) tile += values[8 * t + i];
        EXPECT(sums[t] == tile);
    }
    EXPECT(total == expected);

    CUDA_CHECK(cudaMemset(sum, 0, sizeof total));
    void* arguments[] = {&in, &tiles, &sum};
    CUDA_CHECK(
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sum_tiles), dim3(1), dim3(n), arguments, 0, 0));
    CUDA_CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    EXPECT(total == expected);
    EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sum_tiles), dim3(1 << 20), dim3(n), arguments, 0,
                                       0) == cudaErrorCooperativeLaunchTooLarge);
    return finish("cooperative groups");
}
