// Paths of the LIBOR market model, one a thread: libor_rates forward rates evolve over libor_steps steps; the portfolio of
// swaptions is valued at the end. The first kernel also goes back through the steps with the adjoints, for which it
// keeps the rates of all steps: they make the thread's local memory large. The second values only. Loops of unknown length
// stay loops, as with the papers' compilers, which unrolled those "with a known trip count" (CUDA guide 4.0, B.19).
constexpr int kMaxRates = 80;
constexpr int kMaxSteps = 40;
constexpr int kOptions = 15;
constexpr int kKept = kMaxRates * (kMaxSteps + 1);

__constant__ int libor_rates, libor_steps;
__constant__ float libor_lambda[kMaxRates];
__constant__ int libor_maturity[kOptions];
__constant__ float libor_swap_rate[kOptions];
__constant__ float libor_delta;

// One step: each rate after the step's own drifts by its volatility and the sum over the rates before it.
__device__ inline void step(float* rate, float sample, int n) {
    const float root = sqrtf(libor_delta) * sample;
    float drift = 0.0f;
#pragma unroll 1
    for (int i = n + 1; i < libor_rates; ++i) {
        const float lambda = libor_lambda[i - n - 1];
        const float con = libor_delta * lambda;
        drift += __fdividef(con * rate[i], 1.0f + libor_delta * rate[i]);
        rate[i] *= __expf(con * drift + lambda * (root - 0.5f * con));
    }
}

// Value of the portfolio, discounted over all steps; bonds and swaps of each maturity in `bond` and `annuity`.
__device__ inline float portfolio(const float* rate, float* bond, float* annuity) {
    float b = 1.0f, s = 0.0f;
#pragma unroll 1
    for (int n = libor_steps; n < libor_rates; ++n) {
        b = __fdividef(b, 1.0f + libor_delta * rate[n]);
        s += libor_delta * b;
        bond[n] = b;
        annuity[n] = s;
    }
    float value = 0.0f;
    for (int i = 0; i < kOptions; ++i) {
        const int m = libor_maturity[i] + libor_steps - 1;
        const float swap = bond[m] + libor_swap_rate[i] * annuity[m] - 1.0f;
        if (swap < 0.0f) value += -100.0f * swap;
    }
#pragma unroll 1
    for (int n = 0; n < libor_steps; ++n) value = __fdividef(value, 1.0f + libor_delta * rate[n]);
    return value;
}

extern "C" __global__ void libor_greeks(float* values, float* sensitivities, const float* samples, float rate0,
                                        int paths) {
    float rate[kMaxRates], kept[kKept], bond[kMaxRates], annuity[kMaxRates], adjoint[kMaxRates];
    const int threads = blockDim.x * gridDim.x;
#pragma unroll 1
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += threads) {
#pragma unroll 1
        for (int i = 0; i < libor_rates; ++i) kept[i] = rate[i] = rate0;
#pragma unroll 1
        for (int n = 0; n < libor_steps; ++n) {
            step(rate, samples[n * paths + path], n);
#pragma unroll 1
            for (int i = n + 1; i < libor_rates; ++i) kept[i + (n + 1) * libor_rates] = rate[i];
        }
        const float value = portfolio(rate, bond, annuity);
        values[path] = value;

        // Adjoints of the rates at the end: of the discount, and of the swaps that the options are for.
        float discount = 1.0f;
#pragma unroll 1
        for (int n = 0; n < libor_steps; ++n) discount = __fdividef(discount, 1.0f + libor_delta * rate[n]);
#pragma unroll 1
        for (int n = 0; n < libor_steps; ++n) {
            adjoint[n] = -value * __fdividef(libor_delta, 1.0f + libor_delta * rate[n]);
        }
#pragma unroll 1
        for (int n = libor_steps; n < libor_rates; ++n) adjoint[n] = 0.0f;
        for (int i = 0; i < kOptions; ++i) {
            const int m = libor_maturity[i] + libor_steps - 1;
            const float swap_rate = libor_swap_rate[i];
            if (bond[m] + swap_rate * annuity[m] - 1.0f >= 0.0f) continue;
#pragma unroll 1
            for (int n = libor_steps; n <= m; ++n) {
                // A rate discounts the bond and what the annuity pays from then on.
                const float before = n == libor_steps ? 0.0f : annuity[n - 1];
                const float later = bond[m] + swap_rate * (annuity[m] - before);
                adjoint[n] += 100.0f * discount * later * __fdividef(libor_delta, 1.0f + libor_delta * rate[n]);
            }
        }
#pragma unroll 1
        for (int n = libor_steps - 1; n >= 0; --n) {
            float sum = 0.0f;
#pragma unroll 1
            for (int i = libor_rates - 1; i > n; --i) {
                const float lambda = libor_lambda[i - n - 1];
                const float now = kept[i + n * libor_rates], then = kept[i + (n + 1) * libor_rates];
                sum += lambda * then * adjoint[i];
                const float factor = __fdividef(libor_delta, 1.0f + libor_delta * now);
                adjoint[i] = adjoint[i] * __fdividef(then, now) + sum * lambda * factor * factor;
            }
        }
        sensitivities[path] = adjoint[libor_rates - 1];
    }
}

extern "C" __global__ void libor_values(float* values, const float* samples, float rate0, int paths) {
    float rate[kMaxRates], bond[kMaxRates], annuity[kMaxRates];
    const int threads = blockDim.x * gridDim.x;
#pragma unroll 1
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += threads) {
#pragma unroll 1
        for (int i = 0; i < libor_rates; ++i) rate[i] = rate0;
#pragma unroll 1
        for (int n = 0; n < libor_steps; ++n) step(rate, samples[n * paths + path], n);
        values[path] = portfolio(rate, bond, annuity);
    }
}
