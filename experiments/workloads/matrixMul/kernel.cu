// C = A B, row-major; a is the width of A and b that of B. A block computes a tile of kTile x kTile elements, one a
// thread, and walks along a row of A's tiles and down a column of B's.
constexpr int kTile = 16;

extern "C" __global__ void matrix_mul(float* c, const float* a, const float* b, int a_width, int b_width) {
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int a_begin = a_width * kTile * blockIdx.y;
    const int a_end = a_begin + a_width - 1;
    float sum = 0.0f;
    for (int at_a = a_begin, at_b = kTile * blockIdx.x; at_a <= a_end; at_a += kTile, at_b += kTile * b_width) {
        __shared__ float tile_a[kTile][kTile];
        __shared__ float tile_b[kTile][kTile];
        tile_a[ty][tx] = a[at_a + a_width * ty + tx];
        tile_b[ty][tx] = b[at_b + b_width * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[b_width * kTile * blockIdx.y + kTile * blockIdx.x + b_width * ty + tx] = sum;
}
