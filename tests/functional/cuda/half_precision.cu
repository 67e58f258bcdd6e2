// Half precision: conversions, arithmetic of one and of two, comparisons.
#include <cuda_fp16.h>

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
    return finish("half precision");
}
