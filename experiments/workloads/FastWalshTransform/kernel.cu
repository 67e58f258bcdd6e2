// Fast Walsh transforms of batches of vectors in natural order, in place. Passes over distances that a block cannot hold
// are done in global memory, two at a time (radix 4); the others by a block that holds a whole sub-vector in shared
// memory.

__device__ inline void radix4(float& a, float& b, float& c, float& d) {
    const float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
    a = ac + bd;
    b = ac - bd;
    c = a_c + b_d;
    d = a_c - b_d;
}

extern "C" __global__ void fwt_shared(float* out, const float* in, int log2_n) {
    extern __shared__ float data[];
    const int n = 1 << log2_n;
    const int base = blockIdx.x << log2_n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = in[base + i];

    const int thread = threadIdx.x;
    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        const int low = thread & (stride - 1);
        const int i = ((thread - low) << 2) + low;
        __syncthreads();
        radix4(data[i], data[i + stride], data[i + 2 * stride], data[i + 3 * stride]);
    }
    if (log2_n & 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const float a = data[2 * i], b = data[2 * i + 1];
            data[2 * i] = a + b;
            data[2 * i + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[base + i] = data[i];
}

// One radix-4 pass with distance `stride`; blockIdx.y is the vector.
extern "C" __global__ void fwt_global(float* out, const float* in, int stride) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = blockDim.x * gridDim.x * 4;
    in += blockIdx.y * n;
    out += blockIdx.y * n;
    const int low = thread & (stride - 1);
    const int i = ((thread - low) << 2) + low;
    float a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];
    radix4(a, b, c, d);
    out[i] = a;
    out[i + stride] = b;
    out[i + 2 * stride] = c;
    out[i + 3 * stride] = d;
}

extern "C" __global__ void fwt_modulate(float* a, const float* b, int n) {
    const int threads = blockDim.x * gridDim.x;
    const float scale = 1.0f / n;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) a[i] *= b[i] * scale;
}
