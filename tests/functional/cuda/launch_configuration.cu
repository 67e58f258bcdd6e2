// Launches by cudaLaunchKernel and cudaLaunchKernelExC, grids and blocks of three dimensions, and their indices.
#include "check.h"

__global__ void place(int* out, int3 size) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z)
        out[(z * size.y + y) * size.x + x] = 10000 * z + 100 * y + x + static_cast<int>(gridDim.z * 1000000);
}

int main() {
    const int3 size = make_int3(10, 9, 5);
    const int n = 10 * 9 * 5;
    int *out, results[n];
    CUDA_CHECK(cudaMalloc(&out, sizeof results));
    int3 parameter = size;
    void* arguments[] = {&out, &parameter};
    for (int way = 0; way < 2; ++way) {
        CUDA_CHECK(cudaMemset(out, 0xff, sizeof results));
        if (way == 0) {
            CUDA_CHECK(
                cudaLaunchKernel(reinterpret_cast<const void*>(place), dim3(3, 3, 3), dim3(4, 4, 2), arguments, 0, 0));
        } else {
            cudaLaunchConfig_t configuration{};
            configuration.gridDim = dim3(3, 3, 3);
            configuration.blockDim = dim3(4, 4, 2);
            CUDA_CHECK(cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(place), arguments));
        }
        CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i) EXPECT(results[i] == 3000000 + 10000 * (i / 90) + 100 * (i / 10 % 9) + i % 10);
    }
    return finish("launch configuration");
}
