// Wang and Lin, ISCA 2017, figure 4, whose threads store A[i * num + tid] + 1 for all i below dim. The paper's int are
// float here, and its one addition is a chain of ARITHMETIC fused multiply-adds, which no compiler folds.
#define KERNEL(ARITHMETIC)                                                                                        \
    extern "C" __global__ void figure4_##ARITHMETIC(const float* A, float* B, int dim, int num) {                 \
        int tid = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
        _Pragma("unroll 1") for (int i = 0; i < dim; i++) {                                                       \
            float tmp = A[i * num + tid];                                                                         \
            _Pragma("unroll") for (int k = 0; k < ARITHMETIC; k++) { tmp = fmaf(tmp, 0.5f, 1.0f); }                \
            B[i * num + tid] = tmp;                                                                               \
        }                                                                                                         \
    }
KERNEL(1)
KERNEL(8)
KERNEL(16)
KERNEL(32)
KERNEL(64)
KERNEL(128)
