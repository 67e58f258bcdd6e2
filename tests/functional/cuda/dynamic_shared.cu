// Dynamic shared memory of a size that the host chooses, cut into arrays of several types, and its limits.
#include "check.h"

__global__ void reverse(const int* in, double* out, int n) {
    extern __shared__ char memory[];
    double* const wide = reinterpret_cast<double*>(memory);
    int* const narrow = reinterpret_cast<int*>(wide + n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        narrow[i] = in[i];
        wide[n - 1 - i] = 0.5 * in[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = wide[i] + narrow[i];
}

int main() {
    const int n = 300;
    int values[n];
    for (int i = 0; i < n; ++i) values[i] = (i * 37) % 101;
    int* in;
    double* out;
    CUDA_CHECK(cudaMalloc(&in, sizeof values));
    CUDA_CHECK(cudaMalloc(&out, n * sizeof(double)));
    CUDA_CHECK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    for (int size : {n, 32, 1}) {
        reverse<<<1, 128, size*(sizeof(double) + sizeof(int))>>>(in, out, size);
        double results[n];
        CUDA_CHECK(cudaMemcpy(results, out, size * sizeof(double), cudaMemcpyDeviceToHost));
        for (int i = 0; i < size; ++i) EXPECT(results[i] == 0.5 * values[size - 1 - i] + values[i]);
    }
    reverse<<<1, 128, 1 << 20>>>(in, out, n);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
           cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA_CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 40 * 1024));
    reverse<<<1, 128, 40 * 1024>>>(in, out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    return finish("dynamic shared memory");
}
