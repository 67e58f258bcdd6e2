// Barriers of a whole grid, in two launches: a value moves on to the next thread of the grid between them.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void shift(int* cells, int n, int steps) {
    const cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; ++step) {
        const int* const from = cells + step % 2 * n;
        int* const to = cells + (step + 1) % 2 * n;
        for (auto i = grid.thread_rank(); i < n; i += grid.size()) to[(i + 1) % n] = from[i] + 1;
        grid.sync();
    }
}

int main() {
    int n = 700, steps = 5, cooperative = 0;
    int *cells, host[700];
    CUDA_CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(cooperative == 1);
    CUDA_CHECK(cudaMalloc(&cells, 2 * sizeof host));
    for (int i = 0; i < n; ++i) host[i] = 10 * i;
    CUDA_CHECK(cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice));
    void* arguments[] = {&cells, &n, &steps};
    const auto kernel = reinterpret_cast<const void*>(shift);
    CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, dim3(6), dim3(96), arguments));
    steps = 4;
    CUDA_CHECK(cudaMemcpy(cells, cells + n, sizeof host, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, dim3(2, 2), dim3(8, 8), arguments));
    CUDA_CHECK(cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(host[i] == 10 * ((i + n - 9) % n) + 9);
    EXPECT(cudaLaunchCooperativeKernel(kernel, dim3(1 << 16), dim3(96), arguments) == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    return finish("grid barrier");
}
