// C = A + B as Crago et al. write it (listing 1): the grid goes over the vectors in strides of all its threads. The
// elements of a round are all read before the first is written.
#include "../looped.cuh"

template <int kUnroll>
__device__ inline void add(const float* A, const float* B, float* C, int n) {
  const int stride = gridDim.x * blockDim.x;
  in_rounds<kUnroll>(blockIdx.x * blockDim.x + threadIdx.x, n, stride, [&](auto count, int i) {
    float a[count.value], b[count.value];
    each(count, [&](int u) { a[u] = A[i + u * stride]; });
    each(count, [&](int u) { b[u] = B[i + u * stride]; });
    each(count, [&](int u) { C[i + u * stride] = a[u] + b[u]; });
  });
}

#define VECADD(unroll) \
  extern "C" __global__ void vecadd_##unroll(const float* A, const float* B, float* C, int n) { add<unroll>(A, B, C, n); }
FOR_UNROLL_FACTORS(VECADD)
