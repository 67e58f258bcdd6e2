// Constant memory: a table read uniformly and by lane, structures in it, and an update between launches.
#include "check.h"

struct Filter {
    int taps;
    float weights[5];
};
__constant__ Filter filter = {3, {0.25f, 0.5f, 0.25f, 0, 0}};
__constant__ unsigned short squares[64] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};

__global__ void convolve(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < filter.taps; ++k) {
        const int at = i + k - filter.taps / 2;
        if (at >= 0 && at < n) sum += filter.weights[k] * in[at];
    }
    out[i] = sum + static_cast<float>(squares[i % 10]);
}

int main() {
    const int n = 150;
    float in[n], out[n];
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>((i * 13) % 32);
    float *din, *dout;
    CUDA_CHECK(cudaMalloc(&din, sizeof in));
    CUDA_CHECK(cudaMalloc(&dout, sizeof out));
    CUDA_CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    Filter now = {3, {0.25f, 0.5f, 0.25f, 0, 0}};
    for (int round = 0; round < 2; ++round) {
        convolve<<<3, 64>>>(din, dout, n);
        CUDA_CHECK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i) {
            float sum = 0;
            for (int k = 0; k < now.taps; ++k) {
                const int at = i + k - now.taps / 2;
                if (at >= 0 && at < n) sum += now.weights[k] * in[at];
            }
            EXPECT(out[i] == sum + static_cast<float>((i % 10) * (i % 10)));
        }
        now = {5, {1, -2, 4, -2, 1}};
        CUDA_CHECK(cudaMemcpyToSymbol(filter, &now, sizeof now));
    }
    return finish("constant memory");
}
