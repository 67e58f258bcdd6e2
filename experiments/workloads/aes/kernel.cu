// AES-128 in electronic codebook mode. A thread computes one of the four columns of a block of 16 bytes; a CTA of 256
// threads takes 64 blocks. Four tables that combine the substitution with the mixing of columns, and the round keys, are
// brought to shared memory; columns pass between threads through two buffers there, a barrier a round.
constexpr int kThreads = 256;
constexpr int kRounds = 10;
constexpr int kKeyWords = 4 * (kRounds + 1);

__constant__ unsigned aes_keys[kKeyWords];

// The byte of column `column + shift` of the thread's block, looked up.
__device__ inline unsigned look_up(const unsigned* table, const unsigned* stage, int block, int column, int byte) {
    return table[(stage[block + ((column + byte) & 3)] >> (8 * byte)) & 0xFF];
}

extern "C" __global__ void aes128_encrypt(unsigned* to, const unsigned* from, const unsigned* tables) {
    __shared__ unsigned table[4][256];
    __shared__ unsigned stage[2][kThreads];
    __shared__ unsigned keys[kKeyWords];
    const int thread = threadIdx.x, column = thread & 3, block = thread & ~3;
    const int place = blockIdx.x * kThreads + thread;
#pragma unroll
    for (int i = 0; i < 4; ++i) table[i][thread] = tables[i * 256 + thread];
    if (thread < kKeyWords) keys[thread] = aes_keys[thread];
    __syncthreads();

    stage[0][thread] = from[place] ^ keys[column];
    __syncthreads();
#pragma unroll
    for (int round = 1; round < kRounds; ++round) {
        const unsigned* now = stage[(round - 1) & 1];
        stage[round & 1][thread] = look_up(table[0], now, block, column, 0) ^ look_up(table[1], now, block, column, 1) ^
                                   look_up(table[2], now, block, column, 2) ^ look_up(table[3], now, block, column, 3) ^
                                   keys[4 * round + column];
        __syncthreads();
    }
    // The last round substitutes only: the plain byte is the second one of the first table's word.
    const unsigned* last = stage[(kRounds - 1) & 1];
    unsigned word = 0;
#pragma unroll
    for (int byte = 0; byte < 4; ++byte) {
        word |= ((look_up(table[0], last, block, column, byte) >> 8) & 0xFF) << (8 * byte);
    }
    to[place] = word ^ keys[4 * kRounds + column];
}
