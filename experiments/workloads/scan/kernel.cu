// Exclusive prefix sums. A thread takes four words; a block scans the sums of its threads in shared memory, where the
// first kThreads words are zero, so that no thread has to ask whether it has a neighbour. Arrays longer than a block's
// 4 * kThreads words are scanned in pieces, the pieces' sums are scanned by the second kernel, and the third adds them.
constexpr int kThreads = 256;

__device__ inline unsigned scan_inclusive(unsigned value, volatile unsigned* data, unsigned size) {
    unsigned place = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    data[place] = 0;
    place += size;
    data[place] = value;
    for (unsigned offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        const unsigned sum = data[place] + data[place - offset];
        __syncthreads();
        data[place] = sum;
    }
    return data[place];
}

__device__ inline uint4 scan_exclusive(uint4 value, volatile unsigned* data, unsigned size) {
    value.y += value.x;
    value.z += value.y;
    value.w += value.z;
    const unsigned before = scan_inclusive(value.w, data, size / 4) - value.w;
    return make_uint4(before, before + value.x, before + value.y, before + value.z);
}

extern "C" __global__ void scan_pieces(uint4* to, const uint4* from, unsigned size) {
    __shared__ unsigned data[2 * kThreads];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = scan_exclusive(from[i], data, size);
}

// Scans the sums of the pieces, each its last exclusive sum and its last word; n sums in arrays of `length`.
extern "C" __global__ void scan_sums(unsigned* sums, const unsigned* scanned, const unsigned* from, unsigned n,
                                     unsigned length) {
    __shared__ unsigned data[2 * kThreads];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = 0;
    if (i < n) {
        const unsigned last = 4 * kThreads - 1 + 4 * kThreads * i;
        value = scanned[last] + from[last];
    }
    const unsigned before = scan_inclusive(value, data, length) - value;
    if (i < n) sums[i] = before;
}

extern "C" __global__ void scan_add(uint4* data, const unsigned* sums) {
    __shared__ unsigned sum;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = sums[blockIdx.x];
    __syncthreads();
    uint4 value = data[i];
    value.x += sum;
    value.y += sum;
    value.z += sum;
    value.w += sum;
    data[i] = value;
}
