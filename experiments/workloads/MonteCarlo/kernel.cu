// A block prices an option: its threads walk over the samples, which are standard normal numbers that all options share,
// add up the pay-offs and their squares, and a tree in shared memory adds up the threads' sums.
constexpr int kThreads = 256;
constexpr int kMaxOptions = 1024;

struct Option {
    float price, strike, drift, volatility;  // drift and volatility over the option's life
};
__constant__ Option monte_carlo_options[kMaxOptions];

extern "C" __global__ void monte_carlo(const float* samples, float2* values, int paths) {
    __shared__ float sums[kThreads], squares[kThreads];
    const Option option = monte_carlo_options[blockIdx.x];
    float sum = 0.0f, square = 0.0f;
    // nvcc 13 would unroll by four. The papers' compilers unrolled loops "with a known trip count" only (CUDA C programming
    // guide 4.0, B.19), and here it decides whether a load's value is needed soon.
#pragma unroll 1
    for (int i = threadIdx.x; i < paths; i += kThreads) {
        const float end = option.price * __expf(option.drift + option.volatility * samples[i]) - option.strike;
        const float value = end > 0.0f ? end : 0.0f;
        sum += value;
        square += value * value;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    for (int stride = kThreads / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
            squares[threadIdx.x] += squares[threadIdx.x + stride];
        }
    }
    if (threadIdx.x == 0) values[blockIdx.x] = make_float2(sums[0], squares[0]);
}
