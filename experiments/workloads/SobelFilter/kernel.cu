// Sobel's edge filter of an image of bytes. A block of 16 x 4 threads makes four rows of kTileWords words of four pixels:
// it brings them and a border to shared memory byte by byte, and each thread then makes a word at a time, keeping the
// last two columns of three pixels in registers. Coordinates outside the image mean its border.
constexpr int kWide = 16, kHigh = 4;
constexpr int kTileWords = 80;
constexpr int kPitch = 384;  // (kTileWords + 2) words, to the next 64 bytes

__device__ inline int clamp(int value, int limit) { return min(max(value, 0), limit - 1); }

__device__ inline void bring_row(unsigned char* row, const unsigned char* from, int width, int first) {
    for (int word = threadIdx.x; word < kTileWords + 2; word += kWide) {
#pragma unroll
        for (int i = 0; i < 4; ++i) row[4 * word + i] = from[clamp(first + 4 * (word - 1) + i, width)];
    }
}

struct Column {
    int up, middle, down;
};

__device__ inline Column read(const unsigned char* up, int x) { return {up[x], up[kPitch + x], up[2 * kPitch + x]}; }

__device__ inline unsigned edge(const Column& left, const Column& middle, const Column& right, float scale) {
    const int across = right.up + 2 * right.middle + right.down - left.up - 2 * left.middle - left.down;
    const int along = left.up + 2 * middle.up + right.up - left.down - 2 * middle.down - right.down;
    const int sum = static_cast<int>(scale * (abs(across) + abs(along)));
    return min(sum, 255);
}

extern "C" __global__ void sobel_shared(unsigned* to, const unsigned char* from, int width, int height, float scale) {
    __shared__ unsigned char tile[kHigh + 2][kPitch];
    const int first = 4 * kTileWords * blockIdx.x;
    const int y = kHigh * blockIdx.y + threadIdx.y;
    bring_row(tile[threadIdx.y], from + clamp(y - 1, height) * width, width, first);
    if (threadIdx.y < 2) {
        bring_row(tile[threadIdx.y + kHigh], from + clamp(y + kHigh - 1, height) * width, width, first);
    }
    __syncthreads();
    if (y >= height) return;

    const unsigned char* up = tile[threadIdx.y];
    for (int word = threadIdx.x; word < kTileWords && first + 4 * word < width; word += kWide) {
        const int x = 4 * (word + 1);
        const Column c0 = read(up, x - 1), c1 = read(up, x), c2 = read(up, x + 1), c3 = read(up, x + 2);
        const Column c4 = read(up, x + 3), c5 = read(up, x + 4);
        to[(y * width + first) / 4 + word] = edge(c0, c1, c2, scale) | edge(c1, c2, c3, scale) << 8 |
                                             edge(c2, c3, c4, scale) << 16 | edge(c3, c4, c5, scale) << 24;
    }
}
