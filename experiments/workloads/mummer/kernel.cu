// For every place in every query, how long a part of the query that starts there the reference contains, and where: a walk
// through the reference's suffix tree. A thread takes a query. When nothing matches further, it follows the suffix link of
// the last node that it passed, comes down again by the lengths of the edges alone, and goes on comparing where it was.
// Letters are 0 to 3; the reference ends in a letter of its own, 4.
constexpr int kNone = -1;

// A node: the reference's letters x to y are on the edge that leads to it, z is its suffix link, and at place w the
// reference has what is on the way to it from the root, node 0. Children are one a letter.
__device__ inline int child_of(const int4& children, signed char letter) {
    return letter == 0 ? children.x : letter == 1 ? children.y : letter == 2 ? children.z : children.w;
}

extern "C" __global__ void mummer_match(const int4* nodes, const int4* children, const signed char* reference,
                                        const signed char* queries, const int* first_letters, int query_count,
                                        int shortest, int2* matches) {
    const int query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= query_count) return;
    const int end = first_letters[query + 1];
    int above = 0, depth = 0;        // the last node passed, and the letters on the way to it
    int matched = 0, place = 0;      // letters that match from `start` on, at least `depth`, and where
    for (int start = first_letters[query]; start + shortest <= end; ++start) {
        while (start + depth < end) {
            const int next = start + depth;
            const int child = child_of(children[above], queries[next]);
            if (child == kNone) break;
            const int4 edge = nodes[child];
            const int length = edge.y - edge.x;
            int down = min(length, matched - depth);
            while (down < length && next + down < end && reference[edge.x + down] == queries[next + down]) ++down;
            matched = max(matched, depth + down);
            place = edge.w;
            if (down < length) break;
            above = child;
            depth += length;
        }
        matches[start] = make_int2(matched, place);
        matched = max(matched - 1, 0);
        ++place;
        if (depth > 0) {
            above = nodes[above].z;
            --depth;
        }
    }
}
