// Page view rank in the phases of a map-reduce library. A record of the log is "URL<tab>views<newline>". Map emits the
// views as the key and the URL as the value; a first pass only counts their bytes, so that a prefix sum can tell each
// record where to write. The pairs are sorted by key, largest first, through an index of (key place, key bytes, value
// place, value bytes); equal keys make a group; and reduce writes each record's rank.
constexpr int kThreads = 256;

__device__ inline int url_length(const char* record) {
    int length = 0;
    while (record[length] != '\t') ++length;
    return length;
}

extern "C" __global__ void pvr_map_count(const char* log, const int* record_at, int* value_bytes, int records) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < records) value_bytes[i] = url_length(log + record_at[i]) + 1;
}

extern "C" __global__ void pvr_map(const char* log, const int* record_at, const int* value_at, int* keys, char* values,
                                   int4* index, int records) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const char* record = log + record_at[i];
    char* value = values + value_at[i];
    int length = 0;
    while (record[length] != '\t') {
        value[length] = record[length];
        ++length;
    }
    value[length] = 0;
    int views = 0;
    for (const char* digit = record + length + 1; *digit != '\n'; ++digit) views = views * 10 + (*digit - '0');
    keys[i] = views;
    index[i] = make_int4(4 * i, 4, value_at[i], length + 1);
}

// Exclusive prefix sums of one block's words, and their sum.
extern "C" __global__ void pvr_scan_block(const int* from, int* to, int* sums, int n) {
    __shared__ int data[2][kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const int mine = i < n ? from[i] : 0;
    int now = 0;
    data[0][threadIdx.x] = mine;
    __syncthreads();
    for (int offset = 1; offset < kThreads; offset *= 2) {
        int sum = data[now][threadIdx.x];
        if (threadIdx.x >= offset) sum += data[now][threadIdx.x - offset];
        now ^= 1;
        data[now][threadIdx.x] = sum;
        __syncthreads();
    }
    if (i < n) to[i] = data[now][threadIdx.x] - mine;
    if (threadIdx.x == kThreads - 1) sums[blockIdx.x] = data[now][threadIdx.x];
}

extern "C" __global__ void pvr_scan_add(int* to, const int* sums, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) to[i] += sums[blockIdx.x];
}

// Whether a comes after b: fewer views, or as many and later in the log.
__device__ inline bool after(const int* keys, int4 a, int4 b) {
    const int key_a = keys[a.x / 4], key_b = keys[b.x / 4];
    return key_a != key_b ? key_a < key_b : a.x > b.x;
}

// The steps of a bitonic sort with distances of less than a block, in shared memory; `first_size` to `last_size` are
// the sizes of the sequences that are merged.
__device__ inline void sort_in_block(const int* keys, int4* index, int first_size, int last_size) {
    __shared__ int4 entries[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    entries[threadIdx.x] = index[i];
    __syncthreads();
    for (int size = first_size; size <= last_size; size *= 2) {
        for (int distance = size < kThreads ? size / 2 : kThreads / 2; distance > 0; distance /= 2) {
            const int partner = threadIdx.x ^ distance;
            if (partner > threadIdx.x) {
                const int4 mine = entries[threadIdx.x], other = entries[partner];
                if (after(keys, mine, other) == ((i & size) == 0)) {
                    entries[threadIdx.x] = other;
                    entries[partner] = mine;
                }
            }
            __syncthreads();
        }
    }
    index[i] = entries[threadIdx.x];
}

extern "C" __global__ void pvr_sort_blocks(const int* keys, int4* index) { sort_in_block(keys, index, 2, kThreads); }

extern "C" __global__ void pvr_sort_merge(const int* keys, int4* index, int size) {
    sort_in_block(keys, index, size, size);
}

// One step with a distance of a block or more: a thread for each pair.
extern "C" __global__ void pvr_sort_step(const int* keys, int4* index, int size, int distance) {
    const int thread = blockIdx.x * kThreads + threadIdx.x;
    const int i = 2 * distance * (thread / distance) + thread % distance;
    const int4 mine = index[i], other = index[i + distance];
    if (after(keys, mine, other) == ((i & size) == 0)) {
        index[i] = other;
        index[i + distance] = mine;
    }
}

// 1 where a group of equal keys ends.
extern "C" __global__ void pvr_group(const int* keys, const int4* index, int* ends, int records) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < records) {
        ends[i] = i == records - 1 || keys[index[i].x / 4] != keys[index[i + 1].x / 4];
    }
}

// The number of the group is the rank; `ranks` is by record, and hash tells whether the values are in place.
extern "C" __global__ void pvr_reduce(const int4* index, const int* group, const char* values, int* ranks,
                                      unsigned* hashes, int records) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const int4 entry = index[i];
    unsigned hash = 2166136261u;
    for (int j = 0; j < entry.w - 1; ++j) hash = (hash ^ (unsigned char)values[entry.z + j]) * 16777619u;
    ranks[entry.x / 4] = group[i];
    hashes[i] = hash;
}
