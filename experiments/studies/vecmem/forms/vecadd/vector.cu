// The loop of looped.cu with vector memory instructions: both vectors' elements of a round, and the sums, are strided.
#include "../vector_rounds.cuh"

template <int kLength>
__device__ inline void add(const float* A, const float* B, float* C, int n) {
  const int stride = gridDim.x * blockDim.x;
  in_rounds<kLength>(blockIdx.x * blockDim.x + threadIdx.x, n, stride, [&](auto count, int i) {
    const auto a = read_strided(count, A + i, stride), b = read_strided(count, B + i, stride);
    Words<float, count.value> c;
    each(count, [&](int u) { c[u] = a[u] + b[u]; });
    write_strided(count, C + i, stride, c);
  });
}

#define VECADD(length) \
  extern "C" __global__ void vecadd_v##length(const float* A, const float* B, float* C, int n) { add<length>(A, B, C, n); }
FOR_VECTOR_LENGTHS(VECADD)
