// Prices of European call options on a binomial tree: a block an option. The prices at the tree's current level are in
// global memory; a block brings kTile of them to shared memory, goes kLevels levels towards the root there, between two
// arrays and with a barrier each, and writes back those that kLevels levels leave: the tiles overlap.
// Every thread computes at every level; what is not in the tile's tree any more is not used. That loop is not unrolled, for
// its bounds were no constants to the papers' compilers.
constexpr int kTile = 256;
constexpr int kLevels = 32;
constexpr int kMaxOptions = 1024;

struct Option {
    float price, strike;
    float step;      // of the price's logarithm
    float up, down;  // probabilities, discounted for one step
};
__constant__ Option binomial_options[kMaxOptions];

__device__ inline float at_expiry(const Option& option, int ups, int steps) {
    const float value = option.price * __expf(option.step * (2.0f * ups - steps)) - option.strike;
    return value > 0.0f ? value : 0.0f;
}

// `level_values` has `pitch` words an option.
extern "C" __global__ void binomial_options_price(float* values, float* level_values, int steps, int pitch) {
    __shared__ float here[kTile + 1], next[kTile + 1];
    const Option& option = binomial_options[blockIdx.x];
    const int tid = threadIdx.x;
    float* const level_value = level_values + blockIdx.x * pitch;

    for (int i = tid; i <= steps; i += kTile) level_value[i] = at_expiry(option, i, steps);

    for (int level = steps; level > 0; level -= kLevels) {
        for (int base = 0; base < level; base += kTile - kLevels) {
            const int start = min(kTile - 1, level - base), end = start - kLevels;
            __syncthreads();
            if (tid <= start) here[tid] = level_value[base + tid];
#pragma unroll 1
            for (int k = start - 1; k >= end; k -= 2) {
                __syncthreads();
                next[tid] = option.up * here[tid + 1] + option.down * here[tid];
                __syncthreads();
                here[tid] = option.up * next[tid + 1] + option.down * next[tid];
            }
            __syncthreads();
            if (tid <= end) level_value[base + tid] = here[tid];
        }
    }
    if (tid == 0) values[blockIdx.x] = here[0];
}
