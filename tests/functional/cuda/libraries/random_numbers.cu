// cuRAND's device functions: Philox, uniform, normal and Poisson numbers, and an estimate of pi.
#include <curand_kernel.h>

#include <cmath>

#include "../check.h"

__global__ void count_hits(unsigned long long* hits, int draws) {
    curandStatePhilox4_32_10_t state;
    curand_init(1234, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned long long inside = 0;
    for (int i = 0; i < draws; ++i) {
        const float4 numbers = curand_uniform4(&state);
        inside += numbers.x * numbers.x + numbers.y * numbers.y < 1;
        inside += numbers.z * numbers.z + numbers.w * numbers.w < 1;
    }
    atomicAdd(hits, inside);
}
__global__ void draw(float* normal, double* uniform, unsigned* poisson) {
    curandStatePhilox4_32_10_t state;
    curand_init(7, threadIdx.x, 0, &state);
    normal[threadIdx.x] = curand_normal(&state);
    uniform[threadIdx.x] = curand_uniform_double(&state);
    poisson[threadIdx.x] = curand_poisson(&state, 4.0);
}

int main() {
    const int n = 128, draws = 20;
    unsigned long long* hits;
    CUDA_CHECK(cudaMallocManaged(&hits, sizeof *hits));
    *hits = 0;
    count_hits<<<2, n>>>(hits, draws);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(std::fabs(4.0 * static_cast<double>(*hits) / (2.0 * 2 * n * draws) - 3.14159) < 0.1);

    float* normal;
    double* uniform;
    unsigned* poisson;
    CUDA_CHECK(cudaMallocManaged(&normal, n * sizeof *normal));
    CUDA_CHECK(cudaMallocManaged(&uniform, n * sizeof *uniform));
    CUDA_CHECK(cudaMallocManaged(&poisson, n * sizeof *poisson));
    draw<<<1, n>>>(normal, uniform, poisson);
    CUDA_CHECK(cudaDeviceSynchronize());
    double normals = 0, events = 0;
    for (int i = 0; i < n; ++i) {
        normals += normal[i];
        events += poisson[i];
        EXPECT(uniform[i] > 0 && uniform[i] <= 1);
    }
    EXPECT(std::fabs(normals / n) < 0.3);
    EXPECT(std::fabs(events / n - 4) < 0.6);
    return finish("random numbers");
}
