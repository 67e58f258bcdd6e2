// Scalar products of pairs of vectors: a block takes every pair that lies a whole grid behind its last one. It adds up
// kSums interleaved parts of the pair's products, several a thread, and then the parts by a tree in shared memory.
constexpr int kSums = 1024;

extern "C" __global__ void scalar_products(float* products, const float* a, const float* b, int pairs, int elements) {
    __shared__ float sums[kSums];
    for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        const int begin = elements * pair, end = begin + elements;
        __syncthreads();  // the pair before is read from sums[0] by one thread
        for (int part = threadIdx.x; part < kSums; part += blockDim.x) {
            float sum = 0.0f;
            // Not unrolled, as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA C
            // programming guide 4.0, B.19): it decides how many loads are under way at a time.
#pragma unroll 1
            for (int i = begin + part; i < end; i += kSums) sum += a[i] * b[i];
            sums[part] = sum;
        }
        for (int stride = kSums / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int part = threadIdx.x; part < stride; part += blockDim.x) sums[part] += sums[part + stride];
        }
        if (threadIdx.x == 0) products[pair] = sums[0];
    }
}
