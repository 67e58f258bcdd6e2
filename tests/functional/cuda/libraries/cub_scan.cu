// CUB: a block's load, sort, scan and store; a scan of the whole device, whose blocks wait for what earlier ones found.
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "device_memory.h"

namespace {

constexpr int kThreads = 64, kItems = 4, kTile = kThreads * kItems, kCount = 17 * kTile;

__global__ void sort_tiles(const int* in, int* out) {
    using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
    using Scan = cub::BlockScan<int, kThreads>;
    using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } storage;
    int items[kItems];
    Load(storage.load).Load(in + blockIdx.x * kTile, items);
    __syncthreads();
    Sort(storage.sort).Sort(items);
    __syncthreads();
    Scan(storage.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * kTile, items);
}

}  // namespace

int main() {
    std::vector<int> values(kCount), sums(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = (i * 7919) % 1009;
    int *const in = allocate<int>(kCount), *const out = allocate<int>(kCount);
    CUDA_CHECK(cudaMemcpy(in, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
    with_storage([&](void* storage, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, kCount);
    });
    std::exclusive_scan(values.begin(), values.end(), sums.begin(), 0);
    EXPECT(contents(out, kCount) == sums);

    sort_tiles<<<kCount / kTile, kThreads>>>(in, out);
    CUDA_CHECK(cudaGetLastError());
    for (auto tile = values.begin(); tile != values.end(); tile += kTile) {
        std::sort(tile, tile + kTile);
        std::inclusive_scan(tile, tile + kTile, tile);
    }
    EXPECT(contents(out, kCount) == values);
    return finish("CUB's scans");
}
