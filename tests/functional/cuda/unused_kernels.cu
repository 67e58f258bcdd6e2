// A kernel that cannot run here, but is never launched, beside one that is: it has matrices in tensor cores.
#include <mma.h>

#include "check.h"

namespace wmma = nvcuda::wmma;

__global__ void multiply(const half* a, const half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void count(int* cells) {
    cells[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main(int argc, char** argv) {
    int *cells, results[32];
    CUDA_CHECK(cudaMalloc(&cells, sizeof results));
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, multiply));
    count<<<1, 32>>>(cells);
    CUDA_CHECK(cudaMemcpy(results, cells, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) EXPECT(results[i] == i);
    // Launched on request only.
    if (argc > 1 && *argv[1] == 'm') multiply<<<1, 32>>>(nullptr, nullptr, nullptr);
    return finish("unused kernels");
}
