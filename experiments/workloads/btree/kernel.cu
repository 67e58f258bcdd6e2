// Searches in a B+ tree of kOrder children a node, whose levels all have the same height. A block takes a query; each of
// its threads compares the query with one key of the node and the key after it, and the one whose child it is tells the
// others. Keys that a node has not are larger than any query.
constexpr int kOrder = 256;

struct Node {
    int place;
    int indices[kOrder + 1];  // children; records in leaves
    int keys[kOrder + 1];
    int is_leaf;
    int key_count;
};

extern "C" __global__ void btree_find(int height, const Node* nodes, const int* records, const int* queries, int* answers) {
    __shared__ int current;
    const int thread = threadIdx.x;
    const int query = queries[blockIdx.x];
    if (thread == 0) current = 0;
    __syncthreads();
    for (int level = 0; level < height; ++level) {
        const Node& node = nodes[current];
        const bool mine = node.keys[thread] <= query && node.keys[thread + 1] > query;
        const int child = mine ? node.indices[thread] : 0;
        __syncthreads();
        if (mine) current = child;
        __syncthreads();
    }
    if (nodes[current].keys[thread] == query) answers[blockIdx.x] = records[nodes[current].indices[thread]];
}

extern "C" __global__ void btree_find_range(int height, const Node* nodes, const int* starts, const int* ends,
                                            int* first_records, int* lengths) {
    __shared__ int current[2], found[2];
    const int thread = threadIdx.x;
    const int start = starts[blockIdx.x], end = ends[blockIdx.x];
    if (thread < 2) current[thread] = 0;
    __syncthreads();
    for (int level = 0; level < height; ++level) {
        const Node& low = nodes[current[0]];
        const Node& high = nodes[current[1]];
        const bool is_low = low.keys[thread] <= start && low.keys[thread + 1] > start;
        const bool is_high = high.keys[thread] <= end && high.keys[thread + 1] > end;
        const int low_child = is_low ? low.indices[thread] : 0;
        const int high_child = is_high ? high.indices[thread] : 0;
        __syncthreads();
        if (is_low) current[0] = low_child;
        if (is_high) current[1] = high_child;
        __syncthreads();
    }
    if (nodes[current[0]].keys[thread] == start) found[0] = nodes[current[0]].indices[thread];
    if (nodes[current[1]].keys[thread] == end) found[1] = nodes[current[1]].indices[thread];
    __syncthreads();
    if (thread == 0) {
        first_records[blockIdx.x] = found[0];
        lengths[blockIdx.x] = found[1] - found[0] + 1;
    }
}
