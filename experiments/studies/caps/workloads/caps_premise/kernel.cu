// Koo et al., HPCA 2018, section IV and figure 6a: the address of a load is a base of the CTA, a stride from warp to warp,
// and the lane's place. A warp executes each of the LOADS loads once, as most loads of the paper's figure 4; before and
// behind them are 16 instructions that use no load.
#define KERNEL(LOADS)                                                                                            \
    extern "C" __global__ void strides_##LOADS(const float* in, float* out, int threads) {                       \
        int thread = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        float value = thread;                                                                                    \
        _Pragma("unroll") for (int k = 0; k < 16; k++) { value = fmaf(value, 0.5f, 1.0f); }                      \
        _Pragma("unroll") for (int s = 0; s < LOADS; s++) { value += in[s * threads + thread]; }                 \
        _Pragma("unroll") for (int k = 0; k < 16; k++) { value = fmaf(value, 0.5f, 1.0f); }                      \
        out[thread] = value;                                                                                     \
    }
KERNEL(1)
KERNEL(2)
KERNEL(4)
KERNEL(8)
