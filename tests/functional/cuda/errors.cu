// A kernel that touches what is not allocated: the launch succeeds, the next wait fails, and the device is lost.
#include <cstring>

#include "check.h"

__global__ void touch(int* address) {
    *address = 1;
}

int main() {
    int* cells;
    CUDA_CHECK(cudaMalloc(&cells, 64));
    touch<<<1, 1>>>(cells);
    CUDA_CHECK(cudaDeviceSynchronize());
    int value = 0;
    CUDA_CHECK(cudaMemcpy(&value, cells, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 1);
    EXPECT(cudaMemcpy(&value, cells, 65, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaSuccess);
    touch<<<1, 1>>>(reinterpret_cast<int*>(64));
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&cells, 64) == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
    return finish("errors");
}
