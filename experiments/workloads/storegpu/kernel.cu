// MD5 (RFC 1321) of windows of a file that begin `offset` bytes apart, a thread a window. A thread keeps the 16 words that it
// works on in shared memory; the words of a warp's threads are interleaved, so each thread has a bank of its own.
constexpr int kThreads = 128;
constexpr int kLanes = 32;
constexpr int kWords = 16;  // of MD5's block
// Of 16 KB, less what an SM of compute capability 1 took for parameters. Half of it is used, as in the suite.
constexpr int kSharedWords = 4 * 1024 - 32;

__device__ inline unsigned rotated(unsigned value, int bits) { return value << bits | value >> (32 - bits); }

// Words stay in shared memory, where the suite's are: without `volatile` nvcc 13 holds all of them in registers, 75 in all.
using SharedWord = volatile unsigned;

// A step of round 0, 1, 2 or 3, with word `word` of the block.
__device__ inline unsigned step(int round, unsigned a, unsigned b, unsigned c, unsigned d, unsigned word, unsigned sine,
                                int bits) {
    unsigned mixed;
    if (round == 0) {
        mixed = d ^ (b & (c ^ d));
    } else if (round == 1) {
        mixed = c ^ (d & (b ^ c));
    } else if (round == 2) {
        mixed = b ^ c ^ d;
    } else {
        mixed = c ^ (b | ~d);
    }
    return rotated(a + mixed + word + sine, bits) + b;
}

// Adds a block's 64 steps to the state. `mine` are the thread's words, kLanes apart.
__device__ inline void add_block(const SharedWord* mine, unsigned state[4]) {
    // 2^32 |sin(i)| of 1 to 64.
    constexpr unsigned kSines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    constexpr int kBits[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    constexpr int kFirst[4] = {0, 1, 5, 0}, kStride[4] = {1, 5, 3, 7};  // which word a round begins with, and goes on by
    unsigned a = state[0], b = state[1], c = state[2], d = state[3];
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        const int round = i / 16;
        const int word = (kFirst[round] + kStride[round] * (i % 16)) % kWords;
        const unsigned next = step(round, a, b, c, d, mine[word * kLanes], kSines[i], kBits[round][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

// The first word of the digest of each window. Windows are multiples of a word; the last block of each has room for its
// padding: the words behind the last full block are at most 13.
extern "C" __global__ void storegpu_md5_windows(const unsigned char* file, int window, int offset, int windows,
                                                unsigned char* digests) {
    __shared__ unsigned words[kSharedWords];
    const int thread = blockIdx.x * kThreads + threadIdx.x;
    if (thread >= windows) return;
    const unsigned* input = (const unsigned*)(file + thread * offset);
    SharedWord* mine = words + threadIdx.x / kLanes * (kWords * kLanes) + threadIdx.x % kLanes;
    unsigned state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

    const int blocks = window / 64 + 1;
#pragma unroll 1  // blocks and words of a window: as many as the caller says
    for (int block = 0; block < blocks; ++block) {
        if (block == blocks - 1) {
            const int left = (window - block * 64) / 4;
#pragma unroll 1
            for (int i = left + 1; i < kWords - 2; ++i) mine[i * kLanes] = 0;
#pragma unroll 1
            for (int i = 0; i < left; ++i) mine[i * kLanes] = input[block * kWords + i];
            mine[left * kLanes] = 0x80;
            mine[14 * kLanes] = window << 3;
            mine[15 * kLanes] = window >> 29;
        } else {
#pragma unroll
            for (int i = 0; i < kWords; ++i) mine[i * kLanes] = input[block * kWords + i];
        }
        // The suite puts words together from bytes, whatever the order of bytes in a word is.
        const volatile unsigned char* bytes = (const volatile unsigned char*)mine;
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const volatile unsigned char* word = bytes + i * kLanes * 4;
            mine[i * kLanes] = word[0] | word[1] << 8 | word[2] << 16 | word[3] << 24;
        }
        add_block(mine, state);
    }
    // The suite returns four bytes of a digest only, to save copying.
    unsigned char* digest = digests + thread * 4;
    digest[0] = state[0];
    digest[1] = state[0] >> 8;
    digest[2] = state[0] >> 16;
    digest[3] = state[0] >> 24;
}
