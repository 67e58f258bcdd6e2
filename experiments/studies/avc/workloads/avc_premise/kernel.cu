// Collange and Kouyoumdjian, 2011, sections 2 and 3: values that do not fit into the registers are in private memory, and
// many of their vectors are affine, a base and a stride over the lanes. Here a thread goes over WORDS of them in each
// round; of each eight, `affine` are affine, as loop counters and addresses are, and the others differ by lane.
#define KERNEL(WORDS)                                                                                           \
    extern "C" __global__ void private_words_##WORDS(unsigned* out, int affine, int rounds) {                   \
        unsigned held[WORDS];                                                                                   \
        unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;                                       \
        _Pragma("unroll 1") for (int w = 0; w < WORDS; w++) { held[w] = 4 * (thread + w); }                     \
        _Pragma("unroll 1") for (int i = 0; i < rounds; i++) {                                                  \
            _Pragma("unroll 1") for (int w = 0; w < WORDS; w++) {                                               \
                unsigned value = held[w];                                                                       \
                sum += value;                                                                                   \
                held[w] = (w & 7) < affine ? value + 4 * i : (value ^ sum) * 1664525u + 1013904223u;            \
            }                                                                                                   \
        }                                                                                                       \
        out[thread] = sum;                                                                                      \
    }
KERNEL(4)
KERNEL(8)
KERNEL(9)
KERNEL(10)
KERNEL(12)
KERNEL(16)
KERNEL(32)
KERNEL(64)
