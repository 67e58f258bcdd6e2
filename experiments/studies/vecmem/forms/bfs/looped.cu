// A level of a breadth-first search, where the loop over a node's edges is unrolled, and a thread of the second kernel
// goes over several nodes. Masks are words: the vector memory instructions move words (Crago et al., section 4.2), and
// what they are compared with has the same data.
#include "../looped.cuh"

struct Node {
    int first_edge;
    int edges;
};

template <int kUnroll>
__device__ inline void expand(const Node* nodes, const int* edges, int* frontier, int* updating, const int* visited,
                              int* cost, int node_count) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= node_count || frontier[id] == 0) return;
    frontier[id] = 0;
    const int next_cost = cost[id] + 1;
    const int first_edge = nodes[id].first_edge;
    in_rounds<kUnroll>(first_edge, first_edge + nodes[id].edges, 1, [&](auto count, int edge) {
        int successor[count.value], seen[count.value];
        each(count, [&](int u) { successor[u] = edges[edge + u]; });
        each(count, [&](int u) { seen[u] = visited[successor[u]]; });
        each(count, [&](int u) {
            if (seen[u] == 0) {
                cost[successor[u]] = next_cost;
                updating[successor[u]] = 1;
            }
        });
    });
}

template <int kUnroll>
__device__ inline void advance(int* frontier, int* updating, int* visited, int* over, int node_count) {
    const int stride = gridDim.x * blockDim.x;
    in_rounds<kUnroll>(blockIdx.x * blockDim.x + threadIdx.x, node_count, stride, [&](auto count, int id) {
        int reached[count.value];
        each(count, [&](int u) { reached[u] = updating[id + u * stride]; });
        each(count, [&](int u) {
            if (reached[u] != 0) {
                frontier[id + u * stride] = 1;
                visited[id + u * stride] = 1;
                *over = 1;
                updating[id + u * stride] = 0;
            }
        });
    });
}

#define BFS(unroll)                                                                                                   \
    extern "C" __global__ void bfs_expand_##unroll(const Node* nodes, const int* edges, int* frontier, int* updating, \
                                                   const int* visited, int* cost, int node_count) {                   \
        expand<unroll>(nodes, edges, frontier, updating, visited, cost, node_count);                                  \
    }                                                                                                                 \
    extern "C" __global__ void bfs_advance_##unroll(int* frontier, int* updating, int* visited, int* over,            \
                                                    int node_count) {                                                 \
        advance<unroll>(frontier, updating, visited, over, node_count);                                               \
    }
FOR_UNROLL_FACTORS(BFS)
