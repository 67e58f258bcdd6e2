// A step of speckle-reducing anisotropic diffusion: differences to the four neighbours and a diffusion coefficient for
// each pixel, and then the update. The border is its own neighbour. Tiles of kBlock x kBlock pixels and the rows and
// columns beside them are in shared memory.
#ifndef BLOCK_WIDTH
#define BLOCK_WIDTH 16
#endif
constexpr int kBlock = BLOCK_WIDTH;

extern "C" __global__ void srad_coefficients(float* east, float* west, float* north, float* south, const float* image,
                                             float* coefficient, int columns, int rows, float q0_squared) {
    __shared__ float here[kBlock][kBlock], result[kBlock][kBlock];
    __shared__ float above[kBlock][kBlock], below[kBlock][kBlock], right[kBlock][kBlock], left[kBlock][kBlock];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * kBlock + tx, y = blockIdx.y * kBlock + ty;
    const int index = columns * y + x;

    // Every thread brings a word of each side, though only the tile's outermost rows and columns are read there.
    const int first_y = blockIdx.y * kBlock, first_x = blockIdx.x * kBlock;
    above[ty][tx] = image[columns * max(first_y - 1, 0) + x];
    below[ty][tx] = image[columns * min(first_y + kBlock, rows - 1) + x];
    left[ty][tx] = image[columns * y + max(first_x - 1, 0)];
    right[ty][tx] = image[columns * y + min(first_x + kBlock, columns - 1)];
    here[ty][tx] = image[index];
    __syncthreads();

    const float value = here[ty][tx];
    const float n = (ty == 0 ? above[ty][tx] : here[ty - 1][tx]) - value;
    const float s = (ty == kBlock - 1 ? below[ty][tx] : here[ty + 1][tx]) - value;
    const float w = (tx == 0 ? left[ty][tx] : here[ty][tx - 1]) - value;
    const float e = (tx == kBlock - 1 ? right[ty][tx] : here[ty][tx + 1]) - value;

    const float gradient = (n * n + s * s + w * w + e * e) / (value * value);
    const float laplacian = (n + s + w + e) / value;
    const float numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const float denominator = 1.0f + 0.25f * laplacian;
    const float q_squared = numerator / (denominator * denominator);
    const float excess = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    const float c = 1.0f / (1.0f + excess);
    result[ty][tx] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
    __syncthreads();
    coefficient[index] = result[ty][tx];
    east[index] = e;
    west[index] = w;
    south[index] = s;
    north[index] = n;
}

extern "C" __global__ void srad_update(const float* east, const float* west, const float* north, const float* south,
                                       float* image, const float* coefficient, int columns, int rows, float lambda) {
    __shared__ float here[kBlock][kBlock], result[kBlock][kBlock], pixels[kBlock][kBlock];
    __shared__ float below[kBlock][kBlock], right[kBlock][kBlock];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * kBlock + tx, y = blockIdx.y * kBlock + ty;
    const int index = columns * y + x;

    pixels[ty][tx] = image[index];
    below[ty][tx] = coefficient[columns * min(static_cast<int>(blockIdx.y * kBlock) + kBlock, rows - 1) + x];
    right[ty][tx] = coefficient[columns * y + min(static_cast<int>(blockIdx.x * kBlock) + kBlock, columns - 1)];
    here[ty][tx] = coefficient[index];
    __syncthreads();

    const float c = here[ty][tx];
    const float c_south = ty == kBlock - 1 ? below[ty][tx] : here[ty + 1][tx];
    const float c_east = tx == kBlock - 1 ? right[ty][tx] : here[ty][tx + 1];
    const float divergence = c * north[index] + c_south * south[index] + c * west[index] + c_east * east[index];
    result[ty][tx] = pixels[ty][tx] + 0.25f * lambda * divergence;
    __syncthreads();
    image[index] = result[ty][tx];
}
