// The sum of kernel.cu, which goes over samples in its innermost loop as it is, with that loop unrolled and the samples
// in global memory: the vector memory instructions know no other but shared memory, and the paper says that mri-q's
// accesses hit in L1 (Crago et al., sections 4.2 and 8.3).
#include "../looped.cuh"
#include "../../../../workloads/mri-q/kernel.cu"

template <int kUnroll>
__device__ inline void add_all(const Sample* samples, int sample_count, const float* x, const float* y, const float* z,
                               float* real, float* imaginary) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float my_x = x[i], my_y = y[i], my_z = z[i];
    float my_real = real[i], my_imaginary = imaginary[i];
    in_rounds<kUnroll>(0, sample_count, 1, [&](auto count, int k) {
        Sample sample[count.value];
        each(count, [&](int u) { sample[u].x = samples[k + u].x; });
        each(count, [&](int u) { sample[u].y = samples[k + u].y; });
        each(count, [&](int u) { sample[u].z = samples[k + u].z; });
        each(count, [&](int u) { sample[u].magnitude = samples[k + u].magnitude; });
        each(count, [&](int u) { add(sample[u], my_x, my_y, my_z, my_real, my_imaginary); });
    });
    real[i] = my_real;
    imaginary[i] = my_imaginary;
}

#define MRI_Q(unroll)                                                                                             \
    extern "C" __global__ void mri_q_##unroll(const Sample* samples, int sample_count, const float* x,            \
                                              const float* y, const float* z, float* real, float* imaginary) {    \
        add_all<unroll>(samples, sample_count, x, y, z, real, imaginary);                                         \
    }
FOR_UNROLL_FACTORS(MRI_Q)
