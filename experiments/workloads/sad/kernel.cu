// Sums of absolute differences for the search of motion vectors in H.264: for every block of 4 x 4 pixels of the frame and
// every one of 33 x 33 displacements within 16 pixels, the difference from the reference frame; then, by addition, those
// of the six larger shapes of block in each macroblock of 16 x 16. Results are 16 bits wide; those of a block are
// kPadded displacements that follow each other, and blocks of one shape are ordered by macroblock.
constexpr int kRange = 16, kSide = 2 * kRange + 1;
constexpr int kPositions = kSide * kSide, kPadded = 1096;
constexpr int kPerThread = 18, kThreads = (kPositions + kPerThread - 1) / kPerThread;

__device__ inline int clamp(int value, int limit) { return min(max(value, 0), limit - 1); }

extern "C" __global__ void sad_4x4(unsigned* sads, const unsigned short* frame, const unsigned short* reference,
                                   int width, int height) {
    __shared__ unsigned short current[16];
    __shared__ __align__(4) unsigned short found[kPadded];
    const int thread = threadIdx.x, left = 4 * blockIdx.x, top = 4 * blockIdx.y;
    if (thread < 16) current[thread] = frame[(top + thread / 4) * width + left + thread % 4];
    if (thread < kPadded - kPositions) found[kPositions + thread] = 0;
    __syncthreads();

    const int end = min((thread + 1) * kPerThread, kPositions);
    for (int position = thread * kPerThread; position < end; ++position) {
        const int x = left + position % kSide - kRange, y = top + position / kSide - kRange;
        int sum = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const unsigned short* row = reference + clamp(y + i, height) * width;
#pragma unroll
            for (int j = 0; j < 4; ++j) sum += abs(row[clamp(x + j, width)] - current[4 * i + j]);
        }
        found[position] = static_cast<unsigned short>(sum);
    }
    __syncthreads();

    const int macroblock = blockIdx.y / 4 * (gridDim.x / 4) + blockIdx.x / 4;
    const int block = 16 * macroblock + blockIdx.y % 4 * 4 + blockIdx.x % 4;
    const unsigned* pairs = reinterpret_cast<const unsigned*>(found);
    for (int i = thread; i < kPadded / 2; i += kThreads) sads[block * (kPadded / 2) + i] = pairs[i];
}

// Two displacements a word: a sum is at most 256 * 255, so nothing is carried from one to the other. threadIdx.y is the
// quarter of the macroblock.
extern "C" __global__ void sad_8x8(const unsigned* of_4x4, unsigned* of_8x4, unsigned* of_4x8, unsigned* of_8x8) {
    const int macroblock = blockIdx.y * gridDim.x + blockIdx.x, quarter = threadIdx.y, pairs = kPadded / 2;
    const unsigned* small = of_4x4 + (16 * macroblock + quarter / 2 * 8 + quarter % 2 * 2) * pairs;
    const int place = (4 * macroblock + quarter) * pairs;
    for (int i = threadIdx.x; i < pairs; i += 32) {
        const unsigned a = small[i], b = small[i + pairs], c = small[i + 4 * pairs], d = small[i + 5 * pairs];
        of_8x4[2 * place + i] = a + b;
        of_8x4[2 * place + pairs + i] = c + d;
        of_4x8[2 * place + i] = a + c;
        of_4x8[2 * place + pairs + i] = b + d;
        of_8x8[place + i] = a + b + c + d;
    }
}

extern "C" __global__ void sad_16x16(const unsigned* of_8x8, unsigned* of_16x8, unsigned* of_8x16, unsigned* of_16x16) {
    const int macroblock = blockIdx.y * gridDim.x + blockIdx.x, pairs = kPadded / 2;
    const unsigned* quarters = of_8x8 + 4 * macroblock * pairs;
    const int place = macroblock * pairs;
    for (int i = threadIdx.x; i < pairs; i += 32) {
        const unsigned a = quarters[i], b = quarters[i + pairs], c = quarters[i + 2 * pairs], d = quarters[i + 3 * pairs];
        of_16x8[2 * place + i] = a + b;
        of_16x8[2 * place + pairs + i] = c + d;
        of_8x16[2 * place + i] = a + c;
        of_8x16[2 * place + pairs + i] = b + d;
        of_16x16[place + i] = a + b + c + d;
    }
}
