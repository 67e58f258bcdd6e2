// c = scale[1] * (a + b); counts the elements with an atomic on a __device__ variable.
#include <cstdio>
#include <vector>

__constant__ float scale[2];
__device__ unsigned added = 5;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = scale[1] * (a[i] + b[i]);
        atomicAdd(&added, 1u);
    }
}

int main() {
    const int n = 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 2 * i + 1;
    }
    float *da, *db, *dc;
    const size_t bytes = n * sizeof(float);
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    const float factors[2] = {7, 0.5f};
    cudaMemcpyToSymbol(scale, factors, sizeof factors);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    vector_add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
    unsigned count = 0;
    cudaMemcpyFromSymbol(&count, added, sizeof count);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += c[i] != 0.5f * (a[i] + b[i]);
    const bool correct = wrong == 0 && count == 5 + n;
    std::printf("%s, %d wrong, %u added, c[999] = %g: %s\n", cudaGetErrorString(error), wrong, count - 5, c[999],
                correct ? "correct" : "wrong");
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return !correct;
}
