// Pinned host memory that a kernel reads and writes: by its device pointer, by its own address, and registered memory.
#include <vector>

#include "check.h"

__global__ void add(const int* a, const int* b, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

int main() {
    const int n = 1000;
    const std::size_t bytes = n * sizeof(int);
    int *a, *sum, *device_a, *b, *device_registered;
    CUDA_CHECK(cudaHostAlloc(&a, bytes, cudaHostAllocMapped));
    CUDA_CHECK(cudaHostAlloc(&sum, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    CUDA_CHECK(cudaHostGetDevicePointer(&device_a, a, 0));
    CUDA_CHECK(cudaMalloc(&b, bytes));
    std::vector<int> ordinary(n), back(n);
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        ordinary[i] = 10 * i;
    }
    CUDA_CHECK(cudaMemcpy(b, ordinary.data(), bytes, cudaMemcpyHostToDevice));
    add<<<8, 128>>>(device_a, b, sum, n);  // `sum` at the host's own address
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) EXPECT(sum[i] == 11 * i);

    CUDA_CHECK(cudaHostRegister(ordinary.data(), bytes, cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&device_registered, ordinary.data(), 0));
    for (int i = 0; i < n; ++i) ordinary[i] = -i;
    add<<<8, 128>>>(device_a, device_registered, device_registered, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) EXPECT(ordinary[i] == 0);
    EXPECT(cudaHostRegister(ordinary.data(), bytes, 0) == cudaErrorHostMemoryAlreadyRegistered);
    CUDA_CHECK(cudaHostUnregister(ordinary.data()));
    ordinary[0] = 1;
    EXPECT(cudaHostUnregister(ordinary.data()) == cudaErrorHostMemoryNotRegistered);

    CUDA_CHECK(cudaMemcpy(back.data(), sum, bytes, cudaMemcpyDefault));
    for (int i = 0; i < n; ++i) EXPECT(back[i] == 11 * i);
    CUDA_CHECK(cudaFreeHost(a));
    CUDA_CHECK(cudaFreeHost(sum));
    return finish("mapped memory");
}
