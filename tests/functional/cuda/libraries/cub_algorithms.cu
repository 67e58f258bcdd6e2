// CUB: a sort of pairs, a sum and a selection of the whole device.
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "device_memory.h"

namespace {

constexpr int kCount = 800;

struct IsSmall {
    __host__ __device__ bool operator()(int value) const { return value < 300; }
};

}  // namespace

int main() {
    std::vector<int> values(kCount), places(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = (i * 7919) % 1009;
    std::iota(places.begin(), places.end(), 0);
    int *const in = allocate<int>(kCount), *const out = allocate<int>(kCount);
    int *const in_places = allocate<int>(kCount), *const out_places = allocate<int>(kCount);
    int* const number = allocate<int>(1);
    CUDA_CHECK(cudaMemcpy(in, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(in_places, places.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));

    with_storage([&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, in, out, in_places, out_places, kCount);
    });
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return values[a] < values[b]; });
    EXPECT(contents(out_places, kCount) == places);

    with_storage([&](void* storage, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(storage, bytes, in, number, kCount);
    });
    EXPECT(contents(number, 1)[0] == std::accumulate(values.begin(), values.end(), 0));

    with_storage([&](void* storage, std::size_t& bytes) {
        return cub::DeviceSelect::If(storage, bytes, in, out, number, kCount, IsSmall());
    });
    std::vector<int> selected;
    std::copy_if(values.begin(), values.end(), std::back_inserter(selected), IsSmall());
    EXPECT(contents(number, 1)[0] == static_cast<int>(selected.size()));
    EXPECT(contents(out, selected.size()) == selected);

    return finish("CUB");
}
