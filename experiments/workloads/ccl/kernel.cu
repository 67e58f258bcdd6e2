// Connected components by label equivalence, a thread a node. Labels are numbers of nodes; reference[l] is a label that
// is known to be equivalent to l and not greater. Three kernels a round, until a scan finds nothing.

// Notes for each node's label the least label among the node's neighbours.
extern "C" __global__ void ccl_scan(const int* row, const int* column, const int* label, int* reference, int* changed,
                                    int nodes) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    const int mine = label[node];
    int least = mine;
    const int end = row[node + 1];
    for (int edge = row[node]; edge < end; ++edge) {
        const int other = label[column[edge]];
        if (other < least) least = other;
    }
    if (least < mine) {
        atomicMin(&reference[mine], least);
        *changed = 1;
    }
}

// Follows a root label's references to their end.
extern "C" __global__ void ccl_analyse(const int* label, int* reference, int nodes) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || label[node] != node) return;
    volatile int* references = reference;
    int end = references[node];
    int next = references[end];
    while (next != end) {
        end = next;
        next = references[end];
    }
    references[node] = end;
}

extern "C" __global__ void ccl_relabel(int* label, const int* reference, int nodes) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes) label[node] = reference[label[node]];
}
