// Half precision: conversions, arithmetic of one and of two, comparisons, functions, atomics.
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"

__global__ void compute(const float* in, float* out, unsigned* flags, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const __half x = __float2half(in[i]);
    const __half two = __float2half(2.0f);
    out[3 * i] = __half2float(__hadd(__hmul(x, two), __float2half(1.0f)));
    const __half2 pair = __halves2half2(x, __hneg(x));
    const __half2 sum = __hfma2(pair, __float2half2_rn(0.5f), __floats2half2_rn(1.0f, 2.0f));
    out[3 * i + 1] = __low2float(sum);
    out[3 * i + 2] = __high2float(sum);
    flags[i] = (__hlt(x, two) ? 1u : 0u) | (__hge(x, __float2half(0.0f)) ? 2u : 0u);
}

/// Exponentials, masks of comparisons of two, and the greater of two of which one may be NaN.
__global__ void call(const float* in, float* out, unsigned* masks, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const __half x = __float2half(in[i]);
    const __half2 pair = __halves2half2(x, __float2half(1.0f));
    out[3 * i] = __half2float(hexp2(x));
    out[3 * i + 1] = __half2float(hsqrt(__habs(x)));
    out[3 * i + 2] = __half2float(__hmax(x, i % 2 == 0 ? __float2half(0.5f) : __half(__ushort_as_half(0x7fff))));
    masks[i] = __hgt2_mask(pair, __float2half2_rn(0.5f)) ^ __hbeq2(pair, __float2half2_rn(1.0f));
    if (__heq2(pair, pair).x == __float2half(0.0f)) masks[i] = 0xdead;
}
__global__ void count(__half* ones, __half2* pairs, unsigned short* cells) {
    atomicAdd(ones + 1, __float2half(1.0f));
    atomicAdd(pairs, __floats2half2_rn(1.0f, 2.0f));
    unsigned short seen = *cells;
    for (unsigned short before; (before = atomicCAS(cells, seen, static_cast<unsigned short>(seen + 3))) != seen;)
        seen = before;
}

void check_functions(const float* in, float* din, float* dout, unsigned* dflags, int n) {
    float out[3 * 48];
    unsigned masks[48];
    call<<<1, 64>>>(din, dout, dflags, n);
    CUDA_CHECK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(masks, dflags, sizeof masks, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        EXPECT(std::fabs(out[3 * i] / std::exp2(in[i]) - 1) < 0.002f);
        EXPECT(std::fabs(out[3 * i + 1] - std::sqrt(std::fabs(in[i]))) < 0.002f);
        EXPECT(out[3 * i + 2] == (i % 2 == 0 ? std::fmax(in[i], 0.5f) : in[i]));
        EXPECT((masks[i] ^ (in[i] == 1.0f ? 1u : 0u)) == (0xffff0000u | (in[i] > 0.5f ? 0xffffu : 0u)));
    }
}

void check_atomics() {
    unsigned* cells;
    CUDA_CHECK(cudaMallocManaged(&cells, 3 * sizeof *cells));
    cells[0] = 0x1234;
    cells[1] = cells[2] = 0;
    count<<<2, 50>>>(reinterpret_cast<__half*>(cells), reinterpret_cast<__half2*>(cells + 1),
                     reinterpret_cast<unsigned short*>(cells + 2));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(cells[0] == 0x56401234);  // 100 in the high half
    EXPECT(cells[1] == 0x5a405640);
    EXPECT(cells[2] == 300);
}

int main() {
    const int n = 48;
    float in[n], out[3 * n];
    unsigned flags[n];
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i - 20) * 0.25f;
    float *din, *dout;
    unsigned* dflags;
    CUDA_CHECK(cudaMalloc(&din, sizeof in));
    CUDA_CHECK(cudaMalloc(&dout, sizeof out));
    CUDA_CHECK(cudaMalloc(&dflags, sizeof flags));
    CUDA_CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    compute<<<1, 64>>>(din, dout, dflags, n);
    CUDA_CHECK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(flags, dflags, sizeof flags, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {  // all of these are exact in half precision
        EXPECT(out[3 * i] == 2 * in[i] + 1);
        EXPECT(out[3 * i + 1] == 0.5f * in[i] + 1);
        EXPECT(out[3 * i + 2] == -0.5f * in[i] + 2);
        EXPECT(flags[i] == ((in[i] < 2 ? 1u : 0u) | (in[i] >= 0 ? 2u : 0u)));
    }
    check_functions(in, din, dout, dflags, n);
    check_atomics();
    return finish("half precision");
}
