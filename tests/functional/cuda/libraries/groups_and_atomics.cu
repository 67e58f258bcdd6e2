// Cooperative groups' reductions, scans and partitions, and libcu++'s atomics, fences and barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>
#include <cuda/barrier>

#include "../check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 128;

struct Results {
    int tile_sum, tile_scan, third_size, label_size, label_rank, tile_has_nine;
};

__global__ void group(Results* out) {
    const int i = static_cast<int>(threadIdx.x);
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const auto warp = cg::tiled_partition<32>(block);
    Results results;
    results.tile_sum = cg::reduce(tile, i, cg::plus<int>());
    results.tile_scan = cg::inclusive_scan(tile, i);
    results.third_size = static_cast<int>(cg::binary_partition(warp, i % 3 == 0).size());
    const auto label = cg::labeled_partition(warp, i % 5);
    results.label_size = static_cast<int>(label.size());
    results.label_rank = static_cast<int>(label.thread_rank());
    results.tile_has_nine = tile.any(i == 9);
    out[i] = results;
}

__global__ void count(int* counter, double* sum, int* tickets) {
    cuda::atomic_ref<int, cuda::thread_scope_device> shared_counter(*counter);
    const int ticket = shared_counter.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<double, cuda::thread_scope_device>(*sum).fetch_add(0.5, cuda::memory_order_acq_rel);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    atomicAdd(&tickets[ticket], 1);
}

__global__ void exchange(int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int cells[kThreads];
    if (threadIdx.x == 0) init(&barrier, kThreads);
    __syncthreads();
    cells[threadIdx.x] = static_cast<int>(3 * threadIdx.x);
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
    out[threadIdx.x] = cells[kThreads - 1 - threadIdx.x];
    barrier.arrive_and_wait();
}

void check_groups(const Results* results) {
    for (int i = 0; i < kThreads; ++i) {
        Results expected{0, 0, 0, 0, 0, i / 8 == 1};
        for (int j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) {
            expected.tile_sum += j;
            if (j <= i) expected.tile_scan += j;
        }
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            expected.third_size += (j % 3 == 0) == (i % 3 == 0);
            expected.label_size += j % 5 == i % 5;
            expected.label_rank += j % 5 == i % 5 && j < i;
        }
        EXPECT(results[i].tile_sum == expected.tile_sum && results[i].tile_scan == expected.tile_scan);
        EXPECT(results[i].third_size == expected.third_size && results[i].label_size == expected.label_size);
        EXPECT(results[i].label_rank == expected.label_rank && results[i].tile_has_nine == expected.tile_has_nine);
    }
}

int main() {
    const int blocks = 4, n = blocks * kThreads;
    Results* results;
    CUDA_CHECK(cudaMallocManaged(&results, kThreads * sizeof *results));
    group<<<1, kThreads>>>(results);
    CUDA_CHECK(cudaDeviceSynchronize());
    check_groups(results);

    int *counter, *cells;
    double* sum;
    CUDA_CHECK(cudaMallocManaged(&counter, sizeof *counter));
    CUDA_CHECK(cudaMallocManaged(&sum, sizeof *sum));
    CUDA_CHECK(cudaMallocManaged(&cells, n * sizeof *cells));
    count<<<blocks, kThreads>>>(counter, sum, cells);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(*counter == n && *sum == 0.5 * n);
    for (int i = 0; i < n; ++i) EXPECT(cells[i] == 1);

    exchange<<<1, kThreads>>>(cells);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kThreads; ++i) EXPECT(cells[i] == 3 * (kThreads - 1 - i));
    return finish("groups and atomics");
}
