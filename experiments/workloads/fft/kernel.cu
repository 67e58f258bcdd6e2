// 512-point complex FFTs, one a block of 64 threads. A thread holds eight points in registers. With n = 64 n0 + 8 n1 + n2
// and k = k0 + 8 k1 + 64 k2, each of three passes sums over one of n0, n1, n2 by a radix-8 butterfly; between passes
// the points are multiplied by twiddle factors and exchanged through shared memory, real parts first.
constexpr int kPadded = 72;  // points of one k0, so that no pass hits a bank with all its threads

// Aligned as the suite's float2: a point is one access, not two.
struct alignas(8) Complex {
    float re, im;
};

__device__ inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
__device__ inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
__device__ inline Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ inline Complex times_minus_i(Complex a) { return {a.im, -a.re}; }
__device__ inline Complex unit(float angle) { return {__cosf(angle), __sinf(angle)}; }

__device__ inline void butterfly(Complex& a, Complex& b) {
    const Complex sum = a + b;
    b = a - b;
    a = sum;
}

// In place; the result of frequency k is at the place with the bits of k reversed.
__device__ inline void fft8(Complex* x) {
    const float half = 0.70710678118654752440f;
    butterfly(x[0], x[4]);
    butterfly(x[1], x[5]);
    butterfly(x[2], x[6]);
    butterfly(x[3], x[7]);
    x[5] = x[5] * Complex{half, -half};
    x[6] = times_minus_i(x[6]);
    x[7] = x[7] * Complex{-half, -half};
    butterfly(x[0], x[2]);
    butterfly(x[1], x[3]);
    butterfly(x[4], x[6]);
    butterfly(x[5], x[7]);
    x[3] = times_minus_i(x[3]);
    x[7] = times_minus_i(x[7]);
    butterfly(x[0], x[1]);
    butterfly(x[2], x[3]);
    butterfly(x[4], x[5]);
    butterfly(x[6], x[7]);
}

__device__ constexpr int reversed(int k) { return (k & 1) * 4 + (k & 2) + (k >> 2); }

// Frequency k of the pass times exp(-2 pi i k n / size).
__device__ inline void twiddle(Complex* x, int n, int size) {
    const float angle = -6.28318530717958647692f * n / size;
#pragma unroll
    for (int k = 1; k < 8; ++k) x[reversed(k)] = x[reversed(k)] * unit(angle * k);
}

__device__ inline void exchange(Complex* x, float* shared, int store, int store_stride, int load, int load_stride) {
#pragma unroll
    for (int k = 0; k < 8; ++k) shared[store + k * store_stride] = x[reversed(k)].re;
    __syncthreads();
    float re[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) re[i] = shared[load + i * load_stride];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) shared[store + k * store_stride] = x[reversed(k)].im;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = {re[i], shared[load + i * load_stride]};
    __syncthreads();
}

extern "C" __global__ void fft512(Complex* data) {
    __shared__ float shared[8 * kPadded];
    const int thread = threadIdx.x;
    const int high = thread >> 3, low = thread & 7;
    data += blockIdx.x * 512 + thread;

    Complex x[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = data[i * 64];
    fft8(x);
    twiddle(x, thread, 512);
    // From threads (n1, n2) with all k0 to threads (k0, n2) with all n1.
    exchange(x, shared, thread, kPadded, high * kPadded + low, 8);
    fft8(x);
    twiddle(x, low, 64);
    // From threads (k0, n2) with all k1 to threads (k1, k0) with all n2.
    exchange(x, shared, high * kPadded + low, 9, low * kPadded + high * 9, 1);
    fft8(x);
#pragma unroll
    for (int k = 0; k < 8; ++k) data[k * 64] = x[reversed(k)];
}
