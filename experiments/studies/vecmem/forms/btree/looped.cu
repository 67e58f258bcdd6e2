// Searches in the B+ tree of kernel.cu, where a block takes `share` queries, and each of its threads compares its key of
// a node with them one after the other. The nodes that they have come to are in global memory, as in the suite: `at`
// during a level, `next` after it; both begin with the root, 0.
#include "../looped.cuh"
#include "../../../../workloads/btree/kernel.cu"

struct Queries {
    int first, last;  // of this block

    __device__ Queries(int share, int all) : first(blockIdx.x * share), last(min(first + share, all)) {}
};

// One level: the thread whose key is the last that is not above the query tells the child.
template <int kUnroll>
__device__ inline void descend(Queries mine, const Node* nodes, const int* queries, const int* at, int* next) {
    const int thread = threadIdx.x;
    in_rounds<kUnroll>(mine.first, mine.last, 1, [&](auto count, int i) {
        int node[count.value], query[count.value], key[count.value], key_after[count.value];
        each(count, [&](int u) { node[u] = at[i + u]; });
        each(count, [&](int u) { query[u] = queries[i + u]; });
        each(count, [&](int u) { key[u] = nodes[node[u]].keys[thread]; });
        each(count, [&](int u) { key_after[u] = nodes[node[u]].keys[thread + 1]; });
        each(count, [&](int u) {
            if (key[u] <= query[u] && key_after[u] > query[u]) next[i + u] = nodes[node[u]].indices[thread];
        });
    });
}

// In the leaves: the thread whose key is the query tells `found(query, index)`.
template <int kUnroll, class Found>
__device__ inline void look_up(Queries mine, const Node* nodes, const int* queries, const int* at, const Found& found) {
    const int thread = threadIdx.x;
    in_rounds<kUnroll>(mine.first, mine.last, 1, [&](auto count, int i) {
        int node[count.value], query[count.value], key[count.value];
        each(count, [&](int u) { node[u] = at[i + u]; });
        each(count, [&](int u) { query[u] = queries[i + u]; });
        each(count, [&](int u) { key[u] = nodes[node[u]].keys[thread]; });
        each(count, [&](int u) {
            if (key[u] == query[u]) found(i + u, nodes[node[u]].indices[thread]);
        });
    });
}

__device__ inline void arrive(Queries mine, int* at, const int* next) {
    for (int i = mine.first + threadIdx.x; i < mine.last; i += blockDim.x) at[i] = next[i];
}

template <int kUnroll>
__device__ inline void find(int height, const Node* nodes, const int* records, const int* queries, int* answers, int* at,
                            int* next, int share, int all) {
    const Queries mine(share, all);
    for (int level = 0; level < height; ++level) {
        descend<kUnroll>(mine, nodes, queries, at, next);
        __syncthreads();
        arrive(mine, at, next);
        __syncthreads();
    }
    look_up<kUnroll>(mine, nodes, queries, at, [&](int i, int index) { answers[i] = records[index]; });
}

// The ends of a range go down side by side; `lengths` holds the last record before it holds the length.
template <int kUnroll>
__device__ inline void find_range(int height, const Node* nodes, const int* starts, const int* ends, int* first_records,
                                  int* lengths, int* at, int* next, int share, int all) {
    const Queries mine(share, all);
    int *at_end = at + all, *next_end = next + all;
    for (int level = 0; level < height; ++level) {
        descend<kUnroll>(mine, nodes, starts, at, next);
        descend<kUnroll>(mine, nodes, ends, at_end, next_end);
        __syncthreads();
        arrive(mine, at, next);
        arrive(mine, at_end, next_end);
        __syncthreads();
    }
    look_up<kUnroll>(mine, nodes, starts, at, [&](int i, int index) { first_records[i] = index; });
    look_up<kUnroll>(mine, nodes, ends, at_end, [&](int i, int index) { lengths[i] = index; });
    __syncthreads();
    for (int i = mine.first + threadIdx.x; i < mine.last; i += blockDim.x) lengths[i] -= first_records[i] - 1;
}

#define BTREE(unroll)                                                                                              \
    extern "C" __global__ void btree_find_##unroll(int height, const Node* nodes, const int* records,              \
                                                   const int* queries, int* answers, int* at, int* next, int share, \
                                                   int all) {                                                      \
        find<unroll>(height, nodes, records, queries, answers, at, next, share, all);                              \
    }                                                                                                              \
    extern "C" __global__ void btree_find_range_##unroll(int height, const Node* nodes, const int* starts,         \
                                                         const int* ends, int* first_records, int* lengths,        \
                                                         int* at, int* next, int share, int all) {                 \
        find_range<unroll>(height, nodes, starts, ends, first_records, lengths, at, next, share, all);             \
    }
FOR_UNROLL_FACTORS(BTREE)
