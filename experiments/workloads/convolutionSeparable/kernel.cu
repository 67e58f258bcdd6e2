// Convolution of an image with a separable filter of 2 * kRadius + 1 taps, zero outside the image. Each thread computes
// kSteps pixels, a block's width (rows) or height (columns) apart; the tile has a halo of one such step on both sides.
constexpr int kRadius = 8;
constexpr int kSteps = 8;
constexpr int kHalo = 1;
constexpr int kRowsX = 16, kRowsY = 4;
constexpr int kColumnsX = 16, kColumnsY = 8;

__constant__ float convolution_filter[2 * kRadius + 1];

extern "C" __global__ void convolution_rows(float* to, const float* from, int width, int height, int pitch) {
    __shared__ float tile[kRowsY][(kSteps + 2 * kHalo) * kRowsX];
    const int x = (blockIdx.x * kSteps - kHalo) * kRowsX + threadIdx.x;
    const int y = blockIdx.y * kRowsY + threadIdx.y;
    from += y * pitch + x;
    to += y * pitch + x;

#pragma unroll
    for (int i = kHalo; i < kHalo + kSteps; ++i) {
        tile[threadIdx.y][threadIdx.x + i * kRowsX] = from[i * kRowsX];
    }
#pragma unroll
    for (int i = 0; i < kHalo; ++i) {
        tile[threadIdx.y][threadIdx.x + i * kRowsX] = x >= -i * kRowsX ? from[i * kRowsX] : 0.0f;
    }
#pragma unroll
    for (int i = kHalo + kSteps; i < kHalo + kSteps + kHalo; ++i) {
        tile[threadIdx.y][threadIdx.x + i * kRowsX] = width - x > i * kRowsX ? from[i * kRowsX] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = kHalo; i < kHalo + kSteps; ++i) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -kRadius; j <= kRadius; ++j) {
            sum += convolution_filter[kRadius - j] * tile[threadIdx.y][threadIdx.x + i * kRowsX + j];
        }
        to[i * kRowsX] = sum;
    }
}

extern "C" __global__ void convolution_columns(float* to, const float* from, int width, int height, int pitch) {
    // A word more a column, so that a column's neighbours lie in different banks.
    __shared__ float tile[kColumnsX][(kSteps + 2 * kHalo) * kColumnsY + 1];
    const int x = blockIdx.x * kColumnsX + threadIdx.x;
    const int y = (blockIdx.y * kSteps - kHalo) * kColumnsY + threadIdx.y;
    from += y * pitch + x;
    to += y * pitch + x;

#pragma unroll
    for (int i = kHalo; i < kHalo + kSteps; ++i) {
        tile[threadIdx.x][threadIdx.y + i * kColumnsY] = from[i * kColumnsY * pitch];
    }
#pragma unroll
    for (int i = 0; i < kHalo; ++i) {
        tile[threadIdx.x][threadIdx.y + i * kColumnsY] = y >= -i * kColumnsY ? from[i * kColumnsY * pitch] : 0.0f;
    }
#pragma unroll
    for (int i = kHalo + kSteps; i < kHalo + kSteps + kHalo; ++i) {
        tile[threadIdx.x][threadIdx.y + i * kColumnsY] =
            height - y > i * kColumnsY ? from[i * kColumnsY * pitch] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = kHalo; i < kHalo + kSteps; ++i) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -kRadius; j <= kRadius; ++j) {
            sum += convolution_filter[kRadius - j] * tile[threadIdx.x][threadIdx.y + i * kColumnsY + j];
        }
        to[i * kColumnsY * pitch] = sum;
    }
}
