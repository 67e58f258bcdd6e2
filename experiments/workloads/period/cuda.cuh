// What the workloads' kernels use of CUDA, for a compiler without CUDA's own headers. Divisions and roots of floats are
// compute capability 1.x's approximations (CUDA C programming guide 4.0, appendix G.2), as `compile` says.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
};
#include <__clang_cuda_builtin_vars.h>

#define LOOKAHEAD_DEVICE static inline __device__ __attribute__((always_inline))
#define LOOKAHEAD_VECTOR2(Name, Element, bytes) \
    struct alignas(bytes) Name {                \
        Element x, y;                           \
    };                                          \
    LOOKAHEAD_DEVICE Name make_##Name(Element x, Element y) { return {x, y}; }
#define LOOKAHEAD_VECTOR4(Name, Element, bytes) \
    struct alignas(bytes) Name {                \
        Element x, y, z, w;                     \
    };                                          \
    LOOKAHEAD_DEVICE Name make_##Name(Element x, Element y, Element z, Element w) { return {x, y, z, w}; }
LOOKAHEAD_VECTOR2(int2, int, 8)
LOOKAHEAD_VECTOR2(uint2, unsigned, 8)
LOOKAHEAD_VECTOR2(float2, float, 8)
LOOKAHEAD_VECTOR4(int4, int, 16)
LOOKAHEAD_VECTOR4(uint4, unsigned, 16)
LOOKAHEAD_VECTOR4(float4, float, 16)
LOOKAHEAD_VECTOR4(uchar4, unsigned char, 4)
LOOKAHEAD_VECTOR4(ushort4, unsigned short, 8)

// Of CUDA's library of device functions.
extern "C" {
__device__ float __nv_expf(float);
__device__ float __nv_logf(float);
__device__ float __nv_fast_expf(float);
__device__ float __nv_fast_logf(float);
__device__ float __nv_fast_sinf(float);
__device__ float __nv_fast_cosf(float);
__device__ double __nv_exp(double);
__device__ double __nv_sin(double);
__device__ double __nv_cos(double);
}
LOOKAHEAD_DEVICE float expf(float a) { return __nv_expf(a); }
LOOKAHEAD_DEVICE float logf(float a) { return __nv_logf(a); }
LOOKAHEAD_DEVICE float __expf(float a) { return __nv_fast_expf(a); }
LOOKAHEAD_DEVICE float __logf(float a) { return __nv_fast_logf(a); }
LOOKAHEAD_DEVICE float __sinf(float a) { return __nv_fast_sinf(a); }
LOOKAHEAD_DEVICE float __cosf(float a) { return __nv_fast_cosf(a); }
LOOKAHEAD_DEVICE double exp(double a) { return __nv_exp(a); }
LOOKAHEAD_DEVICE double sin(double a) { return __nv_sin(a); }
LOOKAHEAD_DEVICE double cos(double a) { return __nv_cos(a); }

LOOKAHEAD_DEVICE float sqrtf(float a) { return __nvvm_sqrt_approx_ftz_f(a); }
LOOKAHEAD_DEVICE double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
LOOKAHEAD_DEVICE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
LOOKAHEAD_DEVICE float fabsf(float a) { return __builtin_fabsf(a); }
LOOKAHEAD_DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
LOOKAHEAD_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
LOOKAHEAD_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
LOOKAHEAD_DEVICE float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
LOOKAHEAD_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

LOOKAHEAD_DEVICE int min(int a, int b) { return a < b ? a : b; }
LOOKAHEAD_DEVICE int max(int a, int b) { return a > b ? a : b; }
LOOKAHEAD_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
LOOKAHEAD_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
LOOKAHEAD_DEVICE int abs(int a) { return a < 0 ? -a : a; }

LOOKAHEAD_DEVICE int atomicAdd(int* place, int value) { return __nvvm_atom_add_gen_i(place, value); }
LOOKAHEAD_DEVICE float atomicAdd(float* place, float value) { return __nvvm_atom_add_gen_f(place, value); }
LOOKAHEAD_DEVICE unsigned atomicAdd(unsigned* place, unsigned value) {
    return __nvvm_atom_add_gen_i(reinterpret_cast<int*>(place), static_cast<int>(value));
}
LOOKAHEAD_DEVICE int atomicMin(int* place, int value) { return __nvvm_atom_min_gen_i(place, value); }
LOOKAHEAD_DEVICE unsigned atomicMin(unsigned* place, unsigned value) { return __nvvm_atom_min_gen_ui(place, value); }
LOOKAHEAD_DEVICE int atomicMax(int* place, int value) { return __nvvm_atom_max_gen_i(place, value); }
LOOKAHEAD_DEVICE unsigned atomicMax(unsigned* place, unsigned value) { return __nvvm_atom_max_gen_ui(place, value); }
// A warp's threads were always together; the compiler leaves what is before it and behind it there.
LOOKAHEAD_DEVICE void __syncwarp() { asm volatile("" ::: "memory"); }
