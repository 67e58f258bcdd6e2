// The two-dimensional cosine transform of 8 x 8 blocks. A CTA of 8 x 4 x 2 threads works on 32 x 16 pixels; a thread
// brings a column of eight pixels, transforms a row, and then a column, in place in shared memory. The eight threads of
// a block are in one warp.
constexpr int kSide = 8;
constexpr int kWidth = 32, kHeight = 16;

__device__ inline void transform(float* x, int stride) {
    const float norm = 0.35355339059327376f;  // 1 / sqrt(8)
    const float a = 0.49039264020161522f, b = 0.46193976625564337f, c = 0.41573480615127262f;  // cos(k pi / 16) / 2
    const float d = 0.27778511650980111f, e = 0.19134171618254489f, f = 0.09754516100806413f;
    const float s0 = x[0 * stride] + x[7 * stride], d0 = x[0 * stride] - x[7 * stride];
    const float s1 = x[1 * stride] + x[6 * stride], d1 = x[1 * stride] - x[6 * stride];
    const float s2 = x[2 * stride] + x[5 * stride], d2 = x[2 * stride] - x[5 * stride];
    const float s3 = x[3 * stride] + x[4 * stride], d3 = x[3 * stride] - x[4 * stride];
    x[0 * stride] = norm * (s0 + s1 + s2 + s3);
    x[1 * stride] = a * d0 + c * d1 + d * d2 + f * d3;
    x[2 * stride] = b * (s0 - s3) + e * (s1 - s2);
    x[3 * stride] = c * d0 - f * d1 - a * d2 - d * d3;
    x[4 * stride] = norm * (s0 - s1 - s2 + s3);
    x[5 * stride] = d * d0 - a * d1 + f * d2 + c * d3;
    x[6 * stride] = e * (s0 - s3) - b * (s1 - s2);
    x[7 * stride] = f * d0 - d * d1 + c * d2 - a * d3;
}

extern "C" __global__ void dct8x8(float* to, const float* from, int pitch) {
    __shared__ float pixels[kHeight][kWidth + 1];
    const int column = threadIdx.y * kSide + threadIdx.x, first_row = threadIdx.z * kSide;
    const int place = (blockIdx.y * kHeight + first_row) * pitch + blockIdx.x * kWidth + column;
#pragma unroll
    for (int i = 0; i < kSide; ++i) pixels[first_row + i][column] = from[place + i * pitch];
    __syncwarp();
    transform(&pixels[first_row + threadIdx.x][threadIdx.y * kSide], 1);
    __syncwarp();
    transform(&pixels[first_row][column], kWidth + 1);
#pragma unroll
    for (int i = 0; i < kSide; ++i) to[place + i * pitch] = pixels[first_row + i][column];
}
