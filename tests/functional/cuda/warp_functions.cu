// Functions of a warp: shuffles, votes, matches, and the bit operations that go with them.
#include "check.h"

__global__ void exchange(const int* in, int* out) {
    const int lane = threadIdx.x;
    const int x = in[lane];
    int* const row = out + 12 * lane;
    row[0] = __shfl_sync(0xffffffffu, x, (lane * 5 + 1) % 32);
    row[1] = __shfl_up_sync(0xffffffffu, x, 3);
    row[2] = __shfl_down_sync(0xffffffffu, x, 7, 16);
    row[3] = __shfl_xor_sync(0xffffffffu, x, 21);
    row[4] = static_cast<int>(__ballot_sync(0xffffffffu, x % 3 == 0));
    row[5] = __any_sync(0xffffffffu, x > 90) * 2 + __all_sync(0xffffffffu, x >= 0);
    row[6] = static_cast<int>(__match_any_sync(0xffffffffu, x % 4));
    int all = 0;
    row[7] = static_cast<int>(__match_all_sync(0xffffffffu, x >= 0 ? 1 : 0, &all)) & all;
    row[8] = __popc(static_cast<unsigned>(x)) + __clz(x) + __ffs(x);
    row[9] = static_cast<int>(__brev(static_cast<unsigned>(x)));
    if (lane % 2 == 0) {
        row[10] = __shfl_down_sync(0x55555555u, x, 2);
        row[11] = static_cast<int>(__activemask()) | 0x55555555;
    } else {
        row[10] = row[11] = -1;
    }
    __syncwarp();
}

int main() {
    int in[32], out[32][12];
    for (int i = 0; i < 32; ++i) in[i] = (i * 29 + 3) % 97;
    int *din, *dout;
    CUDA_CHECK(cudaMalloc(&din, sizeof in));
    CUDA_CHECK(cudaMalloc(&dout, sizeof out));
    CUDA_CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    exchange<<<1, 32>>>(din, dout);
    CUDA_CHECK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    unsigned thirds = 0;
    bool any = false;
    for (int i = 0; i < 32; ++i) {
        thirds |= in[i] % 3 == 0 ? 1u << i : 0;
        any |= in[i] > 90;
    }
    for (int i = 0; i < 32; ++i) {
        const unsigned x = static_cast<unsigned>(in[i]);
        unsigned same = 0, reversed = 0;
        for (int k = 0; k < 32; ++k) {
            same |= in[k] % 4 == in[i] % 4 ? 1u << k : 0;
            reversed |= (x >> k & 1) << (31 - k);
        }
        EXPECT(out[i][0] == in[(i * 5 + 1) % 32]);
        EXPECT(out[i][1] == in[i < 3 ? i : i - 3]);
        EXPECT(out[i][2] == in[i % 16 + 7 < 16 ? i + 7 : i]);
        EXPECT(out[i][3] == in[i ^ 21]);
        EXPECT(static_cast<unsigned>(out[i][4]) == thirds);
        EXPECT(out[i][5] == (any ? 2 : 0) + 1);
        EXPECT(static_cast<unsigned>(out[i][6]) == same);
        EXPECT(out[i][7] == 1);
        EXPECT(out[i][8] == __builtin_popcount(x) + (x == 0 ? 32 : __builtin_clz(x)) + __builtin_ffs(in[i]));
        EXPECT(static_cast<unsigned>(out[i][9]) == reversed);
        EXPECT(out[i][10] == (i % 2 == 0 ? in[i + 2 < 32 ? i + 2 : i] : -1));
    }
    return finish("warp functions");
}
