// Q(x) = sum over samples k of |phi(k)|^2 exp(2 pi i k . x). The first kernel makes the magnitudes; the second adds up
// to kChunk samples, held in constant memory, two a round, for one x a thread. Sines are the hardware's, as with
// -use_fast_math.
constexpr int kChunk = 1024;

struct Sample {
    float x, y, z, magnitude;
};
__constant__ Sample mri_q_samples[kChunk];

extern "C" __global__ void mri_q_magnitude(const float* real, const float* imaginary, float* magnitude, int samples) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < samples) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

__device__ inline void add(const Sample& sample, float x, float y, float z, float& real, float& imaginary) {
    const float angle = 6.2831853071795864769f * (sample.x * x + sample.y * y + sample.z * z);
    real += sample.magnitude * __cosf(angle);
    imaginary += sample.magnitude * __sinf(angle);
}

extern "C" __global__ void mri_q(int samples, int first, const float* x, const float* y, const float* z, float* real,
                                 float* imaginary) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float my_x = x[i], my_y = y[i], my_z = z[i];
    float my_real = real[i], my_imaginary = imaginary[i];

    // `first` samples of all are done; at most kChunk are left for this launch.
    int k = 0;
    if (samples % 2 != 0) {
        add(mri_q_samples[0], my_x, my_y, my_z, my_real, my_imaginary);
        ++k;
        ++first;
    }
    for (; k < kChunk && first < samples; k += 2, first += 2) {
        add(mri_q_samples[k], my_x, my_y, my_z, my_real, my_imaginary);
        add(mri_q_samples[k + 1], my_x, my_y, my_z, my_real, my_imaginary);
    }
    real[i] = my_real;
    imaginary[i] = my_imaginary;
}
