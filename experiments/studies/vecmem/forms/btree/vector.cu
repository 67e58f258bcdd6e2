// Searches as in looped.cu with vector memory instructions: where queries stand and what they look for are strided, the keys
// of the nodes that they have come to indirect, by the nodes' first words.
#include "../vector_rounds.cuh"
#include "../../../../workloads/btree/kernel.cu"

struct Queries {
    int first, last;  // of this block

    __device__ Queries(int share, int all) : first(blockIdx.x * share), last(min(first + share, all)) {}
};

template <int kCount>
__device__ inline Words<int, kCount> first_words(const Words<int, kCount>& node) {
    Words<int, kCount> words;
    each(Count<kCount>{}, [&](int u) { words[u] = node[u] * static_cast<int>(sizeof(Node) / sizeof(int)); });
    return words;
}

// One level: the thread whose key is the last that is not above the query tells the child.
template <int kLength>
__device__ inline void descend(Queries mine, const Node* nodes, const int* queries, const int* at, int* next) {
    const int thread = threadIdx.x;
    in_rounds<kLength>(mine.first, mine.last, 1, [&](auto count, int i) {
        const auto node = read_strided(count, at + i, 1), query = read_strided(count, queries + i, 1);
        const auto first_word = first_words(node);
        const auto key = read_indirect(count, nodes->keys + thread, first_word);
        const auto key_after = read_indirect(count, nodes->keys + thread + 1, first_word);
        each(count, [&](int u) {
            if (key[u] <= query[u] && key_after[u] > query[u]) next[i + u] = nodes[node[u]].indices[thread];
        });
    });
}

// In the leaves: the thread whose key is the query tells `found(query, index)`.
template <int kLength, class Found>
__device__ inline void look_up(Queries mine, const Node* nodes, const int* queries, const int* at, const Found& found) {
    const int thread = threadIdx.x;
    in_rounds<kLength>(mine.first, mine.last, 1, [&](auto count, int i) {
        const auto node = read_strided(count, at + i, 1), query = read_strided(count, queries + i, 1);
        const auto key = read_indirect(count, nodes->keys + thread, first_words(node));
        each(count, [&](int u) {
            if (key[u] == query[u]) found(i + u, nodes[node[u]].indices[thread]);
        });
    });
}

__device__ inline void arrive(Queries mine, int* at, const int* next) {
    for (int i = mine.first + threadIdx.x; i < mine.last; i += blockDim.x) at[i] = next[i];
}

template <int kLength>
__device__ inline void find(int height, const Node* nodes, const int* records, const int* queries, int* answers, int* at,
                            int* next, int share, int all) {
    const Queries mine(share, all);
    for (int level = 0; level < height; ++level) {
        descend<kLength>(mine, nodes, queries, at, next);
        __syncthreads();
        arrive(mine, at, next);
        __syncthreads();
    }
    look_up<kLength>(mine, nodes, queries, at, [&](int i, int index) { answers[i] = records[index]; });
}

// The ends of a range go down side by side; `lengths` holds the last record before it holds the length.
template <int kLength>
__device__ inline void find_range(int height, const Node* nodes, const int* starts, const int* ends, int* first_records,
                                  int* lengths, int* at, int* next, int share, int all) {
    const Queries mine(share, all);
    int *at_end = at + all, *next_end = next + all;
    for (int level = 0; level < height; ++level) {
        descend<kLength>(mine, nodes, starts, at, next);
        descend<kLength>(mine, nodes, ends, at_end, next_end);
        __syncthreads();
        arrive(mine, at, next);
        arrive(mine, at_end, next_end);
        __syncthreads();
    }
    look_up<kLength>(mine, nodes, starts, at, [&](int i, int index) { first_records[i] = index; });
    look_up<kLength>(mine, nodes, ends, at_end, [&](int i, int index) { lengths[i] = index; });
    __syncthreads();
    for (int i = mine.first + threadIdx.x; i < mine.last; i += blockDim.x) lengths[i] -= first_records[i] - 1;
}

#define BTREE(length)                                                                                              \
    extern "C" __global__ void btree_find_v##length(int height, const Node* nodes, const int* records,              \
                                                   const int* queries, int* answers, int* at, int* next, int share, \
                                                   int all) {                                                      \
        find<length>(height, nodes, records, queries, answers, at, next, share, all);                              \
    }                                                                                                              \
    extern "C" __global__ void btree_find_range_v##length(int height, const Node* nodes, const int* starts,         \
                                                         const int* ends, int* first_records, int* lengths,        \
                                                         int* at, int* next, int share, int all) {                 \
        find_range<length>(height, nodes, starts, ends, first_records, lengths, at, next, share, all);             \
    }
FOR_VECTOR_LENGTHS(BTREE)
