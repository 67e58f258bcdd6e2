// The sum of looped.cu with vector memory instructions: a round's samples are strided, a sample being four words.
#include "../vector_rounds.cuh"
#include "../../../../workloads/mri-q/kernel.cu"

template <int kLength>
__device__ inline void add_all(const Sample* samples, int sample_count, const float* x, const float* y, const float* z,
                               float* real, float* imaginary) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float my_x = x[i], my_y = y[i], my_z = z[i];
    float my_real = real[i], my_imaginary = imaginary[i];
    in_rounds<kLength>(0, sample_count, 1, [&](auto count, int k) {
        constexpr int kWords = sizeof(Sample) / sizeof(float);
        const auto xs = read_strided(count, &samples[k].x, kWords), ys = read_strided(count, &samples[k].y, kWords);
        const auto zs = read_strided(count, &samples[k].z, kWords);
        const auto magnitudes = read_strided(count, &samples[k].magnitude, kWords);
        each(count, [&](int u) {
            Sample sample;
            sample.x = xs[u];
            sample.y = ys[u];
            sample.z = zs[u];
            sample.magnitude = magnitudes[u];
            add(sample, my_x, my_y, my_z, my_real, my_imaginary);
        });
    });
    real[i] = my_real;
    imaginary[i] = my_imaginary;
}

#define MRI_Q(length)                                                                                             \
    extern "C" __global__ void mri_q_v##length(const Sample* samples, int sample_count, const float* x,            \
                                              const float* y, const float* z, float* real, float* imaginary) {    \
        add_all<length>(samples, sample_count, x, y, z, real, imaginary);                                         \
    }
FOR_VECTOR_LENGTHS(MRI_Q)
