// Kim et al., HPCA 2016, figure 5: a loop with a load (0x80), a product of what it loads (0x90), and the counter and
// address of the next round, which need neither (0x88, 0x98 to 0xA8). ARITHMETIC fused multiply-adds, each of the one
// before, continue the product.
#define KERNEL(ARITHMETIC)                                                                                       \
    extern "C" __global__ void figure5_##ARITHMETIC(const float* in, float* out, int rounds, int threads) {      \
        int thread = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        float sum = 0;                                                                                           \
        _Pragma("unroll 1") for (int i = 0; i < rounds; i++) {                                                   \
            float value = __fmul_rn(in[i * threads + thread], 3.0f);  /* else fused with the sum */                \
            _Pragma("unroll") for (int k = 0; k < ARITHMETIC; k++) { value = fmaf(value, 0.5f, 1.0f); }           \
            sum += value;                                                                                        \
        }                                                                                                        \
        out[thread] = sum;                                                                                       \
    }
KERNEL(0)
KERNEL(8)
KERNEL(16)
KERNEL(32)
KERNEL(64)
KERNEL(128)
