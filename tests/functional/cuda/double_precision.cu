// Double precision: arithmetic, division, roots, fused operations and conversions are correctly rounded as the host's.
#include <cmath>

#include "check.h"

__global__ void compute(const double* a, const double* b, double* out, long long* whole, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    out[6 * i] = a[i] + b[i] * 3.0;
    out[6 * i + 1] = a[i] / b[i];
    out[6 * i + 2] = sqrt(fabs(a[i]));
    out[6 * i + 3] = fma(a[i], b[i], -1.0);
    out[6 * i + 4] = static_cast<double>(static_cast<float>(a[i]));
    out[6 * i + 5] = fmin(a[i], b[i]);
    whole[2 * i] = static_cast<long long>(a[i] * 1000);
    whole[2 * i + 1] = __double2ll_rn(b[i]);
}

int main() {
    const int n = 64;
    double a[n], b[n], out[6 * n];
    long long whole[2 * n];
    for (int i = 0; i < n; ++i) {
        a[i] = (i - 30) * 1.7320508075688772 / 3;
        b[i] = 0.1 * i + 0.55;
    }
    double *da, *db, *results;
    long long* integers;
    CUDA_CHECK(cudaMalloc(&da, sizeof a));
    CUDA_CHECK(cudaMalloc(&db, sizeof b));
    CUDA_CHECK(cudaMalloc(&results, sizeof out));
    CUDA_CHECK(cudaMalloc(&integers, sizeof whole));
    CUDA_CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    compute<<<1, n>>>(da, db, results, integers, n);
    CUDA_CHECK(cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(whole, integers, sizeof whole, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        EXPECT(out[6 * i] == std::fma(b[i], 3.0, a[i]));
        EXPECT(out[6 * i + 1] == a[i] / b[i]);
        EXPECT(out[6 * i + 2] == std::sqrt(std::fabs(a[i])));
        EXPECT(out[6 * i + 3] == std::fma(a[i], b[i], -1.0));
        EXPECT(out[6 * i + 4] == static_cast<double>(static_cast<float>(a[i])));
        EXPECT(out[6 * i + 5] == std::fmin(a[i], b[i]));
        EXPECT(whole[2 * i] == static_cast<long long>(a[i] * 1000));
        EXPECT(whole[2 * i + 1] == std::llrint(b[i]));
    }
    return finish("double precision");
}
