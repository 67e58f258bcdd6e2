// The kernel of looped.cu, whose loop over the depth of B's tile is unrolled by 4, with vector memory instructions for the
// loop inside it: a row of the tile, in shared memory, is strided.
#include "../vector_memory.cuh"
#include "../../../../workloads/sgemm/kernel.cu"

template <int kLength>
__device__ inline void multiply_rows(float (&tile)[kDepth][kColumns], const float* a, int lda, const float* b, int ldb,
                                     float* c, int ldc, int k, float alpha, float beta) {
    float sum[kColumns];
#pragma unroll
    for (int column = 0; column < kColumns; ++column) sum[column] = 0.0f;

    const int row = blockIdx.x * kRows + threadIdx.y * kColumns + threadIdx.x;
    const int tile_column = blockIdx.y * kColumns + threadIdx.x;
    for (int first = 0; first < k; first += kDepth) {
        tile[threadIdx.y][threadIdx.x] = b[tile_column + (first + threadIdx.y) * ldb];
        __syncthreads();
#pragma unroll 4
        for (int depth = 0; depth < kDepth; ++depth) {
            const float element = a[row + (first + depth) * lda];
#pragma unroll
            for (int column = 0; column < kColumns; column += kLength) {
                const Words<float, kLength> words = ldstride_shared<kLength>(&tile[depth][column], 1);
#pragma unroll
                for (int u = 0; u < kLength; ++u) sum[column + u] += element * words[u];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int column = 0; column < kColumns; ++column) {
        const int place = row + (blockIdx.y * kColumns + column) * ldc;
        c[place] = c[place] * beta + alpha * sum[column];
    }
}

#define SGEMM(length)                                                                                                \
    extern "C" __global__ void sgemm_v##length(const float* a, int lda, const float* b, int ldb, float* c, int ldc, \
                                               int k, float alpha, float beta) {                                    \
        __shared__ float tile[kDepth][kColumns];                                                                    \
        multiply_rows<length>(tile, a, lda, b, ldb, c, ldc, k, alpha, beta);                                        \
    }
SGEMM(4)
SGEMM(8)
SGEMM(16)
