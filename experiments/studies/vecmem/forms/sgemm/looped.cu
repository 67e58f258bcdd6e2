// The kernel of kernel.cu, which goes over the depth of B's tile in an inner loop as it is, with that loop unrolled by 1, 2
// and 4; kernel.cu has all 8. The innermost, over the columns, always is: their sums are in registers.
#include "../looped.cuh"
#include "../../../../workloads/sgemm/kernel.cu"

#define SGEMM(unroll)                                                                                              \
    extern "C" __global__ void sgemm_##unroll(const float* a, int lda, const float* b, int ldb, float* c, int ldc, \
                                              int k, float alpha, float beta) {                                    \
        __shared__ float tile[kDepth][kColumns];                                                                   \
        multiply<unroll>(tile, a, lda, b, ldb, c, ldc, k, alpha, beta);                                            \
    }
FOR_UNROLL_FACTORS_TO_8(SGEMM)
