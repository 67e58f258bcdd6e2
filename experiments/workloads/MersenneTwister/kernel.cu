// Each of GENERATORS threads runs a small Mersenne twister with parameters of its own and writes its numbers GENERATORS
// apart; the second kernel makes normal numbers of pairs, in place.
#ifndef GENERATORS
#define GENERATORS 4096
#endif
constexpr int kWords = 19;
constexpr int kMiddle = 9;

struct Twister {
    unsigned matrix, mask_b, mask_c, seed;
};

extern "C" __global__ void twister_numbers(float* numbers, const Twister* parameters, int count) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const Twister mine = parameters[thread];
    unsigned state[kWords];
    state[0] = mine.seed;
    for (int i = 1; i < kWords; ++i) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;

    int now = 0;
    unsigned word = state[0];
    for (int i = 0; i < count; ++i) {
        const int after = now + 1 < kWords ? now + 1 : 0;
        const int middle = now + kMiddle < kWords ? now + kMiddle : now + kMiddle - kWords;
        const unsigned next = state[after];
        unsigned x = (word & 0xFFFFFFFEu) | (next & 1u);
        x = state[middle] ^ (x >> 1) ^ ((x & 1u) ? mine.matrix : 0u);
        state[now] = x;
        word = next;
        now = after;

        x ^= x >> 12;
        x ^= (x << 7) & mine.mask_b;
        x ^= (x << 15) & mine.mask_c;
        x ^= x >> 18;
        numbers[thread + i * GENERATORS] = (static_cast<float>(x) + 1.0f) / 4294967296.0f;
    }
}

extern "C" __global__ void twister_normal(float* numbers, int count) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < count; i += 2) {
        float& first = numbers[thread + i * GENERATORS];
        float& second = numbers[thread + (i + 1) * GENERATORS];
        const float radius = sqrtf(-2.0f * __logf(first));
        const float angle = 6.28318530717958647692f * second;
        first = radius * __cosf(angle);
        second = radius * __sinf(angle);
    }
}
