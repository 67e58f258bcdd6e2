// Prices of European options by the formula of Black and Scholes: a thread takes every option that lies a whole grid
// behind its last one. The normal distribution is the polynomial of Abramowitz and Stegun (26.2.17); exponential,
// logarithm and quotients are the hardware's.
__device__ inline float normal_distribution(float d) {
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float sum =
        k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float above = 0.39894228040143267794f * __expf(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - above : above;
}

extern "C" __global__ void black_scholes(float* calls, float* puts, const float* prices, const float* strikes,
                                         const float* years, float rate, float volatility, int options) {
    // Not unrolled, as the paper's compiler left it (CUDA C programming guide 4.0, B.19): the affine vector cache's
    // paper squeezes the registers of one option a round.
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < options; i += gridDim.x * blockDim.x) {
        const float price = prices[i], strike = strikes[i], time = years[i];
        const float deviation = volatility * sqrtf(time);
        const float d1 =
            __fdividef(__logf(__fdividef(price, strike)) + (rate + 0.5f * volatility * volatility) * time, deviation);
        const float below1 = normal_distribution(d1), below2 = normal_distribution(d1 - deviation);
        const float discounted = strike * __expf(-rate * time);
        calls[i] = price * below1 - discounted * below2;
        puts[i] = discounted * (1.0f - below2) - price * (1.0f - below1);
    }
}
