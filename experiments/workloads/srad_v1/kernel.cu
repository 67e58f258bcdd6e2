// Speckle-reducing anisotropic diffusion, a thread a pixel of the image in column-major order. Neighbours are found by
// arrays of row and column numbers. The mean and the variance come from sums on the device, by trees of kThreads.
constexpr int kThreads = 512;

extern "C" __global__ void srad1_extract(int pixels, float* image) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < pixels) image[i] = __expf(image[i] / 255.0f);
}

extern "C" __global__ void srad1_prepare(int pixels, const float* image, float* sums, float* squares) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < pixels) {
        sums[i] = image[i];
        squares[i] = image[i] * image[i];
    }
}

// Sums of each block's `count` in all words that lie `stride` apart, to the block's first word.
extern "C" __global__ void srad1_reduce(int count, int stride, float* sums, float* squares) {
    __shared__ float sum[kThreads], square[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    sum[threadIdx.x] = i < count ? sums[i * stride] : 0.0f;
    square[threadIdx.x] = i < count ? squares[i * stride] : 0.0f;
    for (int width = 2; width <= kThreads; width *= 2) {
        __syncthreads();
        if ((threadIdx.x + 1) % width == 0) {
            sum[threadIdx.x] += sum[threadIdx.x - width / 2];
            square[threadIdx.x] += square[threadIdx.x - width / 2];
        }
    }
    if (threadIdx.x == kThreads - 1) {
        sums[blockIdx.x * stride * kThreads] = sum[kThreads - 1];
        squares[blockIdx.x * stride * kThreads] = square[kThreads - 1];
    }
}

extern "C" __global__ void srad1_coefficients(int rows, int pixels, const int* north_of, const int* south_of,
                                              const int* east_of, const int* west_of, float* north, float* south,
                                              float* east, float* west, float q0_squared, float* coefficient,
                                              const float* image) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= pixels) return;
    const int row = i % rows, column = i / rows;
    const float value = image[i];
    const float n = image[north_of[row] + rows * column] - value;
    const float s = image[south_of[row] + rows * column] - value;
    const float w = image[row + rows * west_of[column]] - value;
    const float e = image[row + rows * east_of[column]] - value;
    const float gradient = (n * n + s * s + w * w + e * e) / (value * value);
    const float laplacian = (n + s + w + e) / value;
    const float numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const float denominator = 1.0f + 0.25f * laplacian;
    const float q_squared = numerator / (denominator * denominator);
    const float excess = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    float c = 1.0f / (1.0f + excess);
    if (c < 0.0f) {
        c = 0.0f;
    } else if (c > 1.0f) {
        c = 1.0f;
    }
    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
    coefficient[i] = c;
}

extern "C" __global__ void srad1_update(float lambda, int rows, int pixels, const int* south_of, const int* east_of,
                                        const float* north, const float* south, const float* east, const float* west,
                                        const float* coefficient, float* image) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= pixels) return;
    const int row = i % rows, column = i / rows;
    const float c = coefficient[i];
    const float c_south = coefficient[south_of[row] + rows * column];
    const float c_east = coefficient[row + rows * east_of[column]];
    const float divergence = c * north[i] + c_south * south[i] + c * west[i] + c_east * east[i];
    image[i] += 0.25f * lambda * divergence;
}

extern "C" __global__ void srad1_compress(int pixels, float* image) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < pixels) image[i] = __logf(image[i]) * 255.0f;
}
