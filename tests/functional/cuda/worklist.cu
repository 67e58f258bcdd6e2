// Shortest paths with worklists, as irregular programs do them: atomicMin on distances, a list that warps fill with one
// atomic for their active lanes, lists swapped by the host, a flag in mapped memory, timing by events, structures of
// pointers as parameters.
#include <algorithm>
#include <climits>
#include <utility>

#include "check.h"

struct Graph {
    int nodes;
    const int* first;  // nodes + 1 of them
    const int* to;
    const int* weight;
};
struct Worklist {
    int* items;
    unsigned* size;

    /// One atomic for the lanes that call it together.
    __device__ void push(int item) {
        const unsigned active = __activemask(), lane = threadIdx.x % warpSize;
        const int leader = __ffs(active) - 1;
        unsigned place = 0;
        if (static_cast<int>(lane) == leader) place = atomicAdd(size, __popc(active));
        place = __shfl_sync(active, place, leader) + __popc(active & ((1u << lane) - 1));
        items[place] = item;
    }
};

__constant__ int kLongest = 1 << 20;

template <int kBlock>
__global__ void __launch_bounds__(kBlock) relax(const Graph graph, const int* before, int* __restrict__ distance,
                                                const Worklist in, Worklist out, volatile int* changed) {
    const int count = static_cast<int>(*in.size);
    for (int i = blockIdx.x * kBlock + threadIdx.x; i < count; i += gridDim.x * kBlock) {
        const int node = in.items[i], own = before[node];
        for (int edge = __ldg(graph.first + node); edge < __ldg(graph.first + node + 1); ++edge) {
            const int to = graph.to[edge], there = own + graph.weight[edge];
            if (there >= kLongest || atomicMin(&distance[to], there) <= there) continue;
            out.push(to);
            *changed = 1;
        }
    }
}

template <class T>
T* on_device(const T* host, int count) {
    T* memory;
    CUDA_CHECK(cudaMalloc(&memory, count * sizeof(T)));
    if (host != nullptr) CUDA_CHECK(cudaMemcpy(memory, host, count * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

int main() {
    constexpr int kNodes = 160, kDegree = 4, kEdges = kNodes * kDegree;
    int first[kNodes + 1], to[kEdges], weight[kEdges], distance[kNodes], expected[kNodes];
    for (int i = 0; i <= kNodes; ++i) first[i] = kDegree * i;
    for (int i = 0; i < kEdges; ++i) {
        to[i] = (i * 37 + i / kDegree * 11) % kNodes;
        weight[i] = 1 + i * 13 % 29;
    }
    for (int i = 0; i < kNodes; ++i) distance[i] = expected[i] = i == 0 ? 0 : INT_MAX / 2;
    for (int round = 0; round < kNodes; ++round)
        for (int i = 0; i < kEdges; ++i)
            expected[to[i]] = std::min(expected[to[i]], expected[i / kDegree] + weight[i]);

    const Graph graph{kNodes, on_device(first, kNodes + 1), on_device(to, kEdges), on_device(weight, kEdges)};
    // What a round reads does not change in it, so that the order of its threads does not show.
    int *const distances = on_device(distance, kNodes), *const before = on_device<int>(nullptr, kNodes);
    Worklist in{on_device<int>(nullptr, 16 * kEdges), on_device<unsigned>(nullptr, 1)};
    Worklist out{on_device<int>(nullptr, 16 * kEdges), on_device<unsigned>(nullptr, 1)};
    const int root = 0;
    const unsigned one = 1;
    CUDA_CHECK(cudaMemcpy(in.items, &root, sizeof root, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(in.size, &one, sizeof one, cudaMemcpyHostToDevice));
    int *changed, *changed_there;
    CUDA_CHECK(cudaHostAlloc(&changed, sizeof *changed, cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&changed_there, changed, 0));
    cudaEvent_t begin, end;
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventRecord(begin));
    int rounds = 0;
    do {
        *changed = 0;
        CUDA_CHECK(cudaMemcpyAsync(before, distances, sizeof distance, cudaMemcpyDeviceToDevice));
        CUDA_CHECK(cudaMemsetAsync(out.size, 0, sizeof(unsigned)));
        relax<64><<<3, 64>>>(graph, before, distances, in, out, changed_there);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        std::swap(in, out);
        ++rounds;
    } while (*changed != 0);
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds > 0);
    EXPECT(rounds > 3 && rounds < kNodes);
    CUDA_CHECK(cudaMemcpy(distance, distances, sizeof distance, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kNodes; ++i) EXPECT(distance[i] == expected[i]);
    return finish("worklist");
}
