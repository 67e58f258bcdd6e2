// The loops of looped.cu with vector memory instructions: a node's edges are strided, the marks of the nodes that they
// lead to indirect, and the marks that the second kernel reads strided. What is written is written for some nodes only.
#include "../vector_rounds.cuh"

struct Node {
    int first_edge;
    int edges;
};

template <int kLength>
__device__ inline void expand(const Node* nodes, const int* edges, int* frontier, int* updating, const int* visited,
                              int* cost, int node_count) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= node_count || frontier[id] == 0) return;
    frontier[id] = 0;
    const int next_cost = cost[id] + 1;
    const int first_edge = nodes[id].first_edge;
    in_rounds<kLength>(first_edge, first_edge + nodes[id].edges, 1, [&](auto count, int edge) {
        const auto successor = read_strided(count, edges + edge, 1);
        const auto seen = read_indirect(count, visited, successor);
        each(count, [&](int u) {
            if (seen[u] == 0) {
                cost[successor[u]] = next_cost;
                updating[successor[u]] = 1;
            }
        });
    });
}

template <int kLength>
__device__ inline void advance(int* frontier, int* updating, int* visited, int* over, int node_count) {
    const int stride = gridDim.x * blockDim.x;
    in_rounds<kLength>(blockIdx.x * blockDim.x + threadIdx.x, node_count, stride, [&](auto count, int id) {
        const auto reached = read_strided(count, updating + id, stride);
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

#define BFS(length)                                                                                                    \
    extern "C" __global__ void bfs_expand_v##length(const Node* nodes, const int* edges, int* frontier, int* updating, \
                                                    const int* visited, int* cost, int node_count) {                   \
        expand<length>(nodes, edges, frontier, updating, visited, cost, node_count);                                   \
    }                                                                                                                  \
    extern "C" __global__ void bfs_advance_v##length(int* frontier, int* updating, int* visited, int* over,            \
                                                     int node_count) {                                                 \
        advance<length>(frontier, updating, visited, over, node_count);                                                \
    }
FOR_VECTOR_LENGTHS(BFS)
