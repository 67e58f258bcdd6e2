// Strided and indirect vector memory instructions as intrinsics (Crago, Stephenson, Keckler, TACO 2018, section 5): each
// accesses 4, 8 or 16 words of a thread.
//
//     int4 offset = __ldstride4(&d_ptr[i], 1);         // d_ptr[i], d_ptr[i + 1], ...
//     float4 value = __ldindirect4(d_matrix, offset);  // d_matrix[offset.x], ...
//     __ststride4(&out[i], 32, value);                 // out[i] = value.x; out[i + 32] = value.y; ...
//     __stindirect4(out, offset, value);               // out[offset.x] = value.x; ...
//
// Elements are int, unsigned or float; strides and indices count them and are signed 32-bit numbers. Of stores to one
// place the later element's stays. Addresses are of global memory; of shared memory where a name ends in _shared. Vectors
// of 4 are CUDA's int4, uint4 and float4, those of 8 and 16 Words<T, 8> and Words<T, 16>. Where the length is a template's
// parameter: ldstride<N>(p, stride), ldindirect(p, indices), ststride(p, stride, data), stindirect(p, indices, data).
//
// With LOOKAHEAD_VECTOR_MEMORY defined these are inline PTX, which `nvcc -ptx` passes on as it is and Lookahead's front
// end knows; ptxas does not. Without it they are plain loads and stores, for real GPUs. To the compiler the inline PTX has
// no meaning, so that it moves no memory access across it: a scheduling barrier, as the paper's.
#pragma once

template <class T, int kCount>
struct Words {
    T v[kCount];
    __device__ T& operator[](int i) { return v[i]; }
    __device__ const T& operator[](int i) const { return v[i]; }
};

namespace vector_memory {

__device__ inline unsigned bits_of(int value) {
    return static_cast<unsigned>(value);
}
__device__ inline unsigned bits_of(unsigned value) {
    return value;
}
__device__ inline unsigned bits_of(float value) {
    return __float_as_uint(value);
}
__device__ inline void set_bits(int& value, unsigned bits) {
    value = static_cast<int>(bits);
}
__device__ inline void set_bits(unsigned& value, unsigned bits) {
    value = bits;
}
__device__ inline void set_bits(float& value, unsigned bits) {
    value = __uint_as_float(bits);
}

#ifdef LOOKAHEAD_VECTOR_MEMORY

// Operands stand in the order data, address, stride or indices. Shared memory has addresses of 32 bits.
#define ADDRESS_global(p) "l"(__cvta_generic_to_global(p))
#define ADDRESS_shared(p) "r"(static_cast<unsigned>(__cvta_generic_to_shared(p)))
#define DATA_4 "{%0, %1, %2, %3}"
#define DATA_8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define DATA_16 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define STRIDE_4 "%5"
#define STRIDE_8 "%9"
#define STRIDE_16 "%17"
#define INDICES_4 "{%5, %6, %7, %8}"
#define INDICES_8 "{%9, %10, %11, %12, %13, %14, %15, %16}"
#define INDICES_16 "{%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32}"
#define WORDS_4_FROM(how, w, i) how(w[i]), how(w[i + 1]), how(w[i + 2]), how(w[i + 3])
#define WORDS_4(how, w) WORDS_4_FROM(how, w, 0)
#define WORDS_8(how, w) WORDS_4(how, w), WORDS_4_FROM(how, w, 4)
#define WORDS_16(how, w) WORDS_8(how, w), WORDS_4_FROM(how, w, 8), WORDS_4_FROM(how, w, 12)

#define INSTRUCTIONS(space, n)                                                                                     \
    __device__ inline void ldstride_##space(const void* p, int s, unsigned(&d)[n]) {                               \
        asm volatile("ld.stride." #space ".v" #n ".b32 " DATA_##n ", [%" #n "], " STRIDE_##n ";"                   \
                     : WORDS_##n("=r", d)                                                                          \
                     : ADDRESS_##space(p), "r"(s)                                                   \
                     : "memory");                                                                                  \
    }                                                                                                              \
    __device__ inline void ldindirect_##space(const void* p, const int(&x)[n], unsigned(&d)[n]) {                  \
        asm volatile("ld.indirect." #space ".v" #n ".b32 " DATA_##n ", [%" #n "], " INDICES_##n ";"                \
                     : WORDS_##n("=r", d)                                                                          \
                     : ADDRESS_##space(p), WORDS_##n("r", x)                                        \
                     : "memory");                                                                                  \
    }                                                                                                              \
    __device__ inline void ststride_##space(void* p, int s, const unsigned(&d)[n]) {                               \
        asm volatile("st.stride." #space ".v" #n ".b32 [%" #n "], " STRIDE_##n ", " DATA_##n ";"                   \
                     :                                                                                             \
                     : WORDS_##n("r", d), ADDRESS_##space(p), "r"(s)                                \
                     : "memory");                                                                                  \
    }                                                                                                              \
    __device__ inline void stindirect_##space(void* p, const int(&x)[n], const unsigned(&d)[n]) {                  \
        asm volatile("st.indirect." #space ".v" #n ".b32 [%" #n "], " INDICES_##n ", " DATA_##n ";"                \
                     :                                                                                             \
                     : WORDS_##n("r", d), ADDRESS_##space(p), WORDS_##n("r", x)                     \
                     : "memory");                                                                                  \
    }
INSTRUCTIONS(global, 4)
INSTRUCTIONS(global, 8)
INSTRUCTIONS(global, 16)
INSTRUCTIONS(shared, 4)
INSTRUCTIONS(shared, 8)
INSTRUCTIONS(shared, 16)
#undef INSTRUCTIONS

#else

#define PLAIN_CODE(space)                                                                                  \
    template <int kCount>                                                                                  \
    __device__ inline void ldstride_##space(const unsigned* p, int s, unsigned(&d)[kCount]) {              \
        _Pragma("unroll") for (int i = 0; i < kCount; ++i) d[i] = p[static_cast<long long>(i) * s];        \
    }                                                                                                      \
    template <int kCount>                                                                                  \
    __device__ inline void ldindirect_##space(const unsigned* p, const int(&x)[kCount], unsigned(&d)[kCount]) { \
        _Pragma("unroll") for (int i = 0; i < kCount; ++i) d[i] = p[x[i]];                                 \
    }                                                                                                      \
    template <int kCount>                                                                                  \
    __device__ inline void ststride_##space(unsigned* p, int s, const unsigned(&d)[kCount]) {              \
        _Pragma("unroll") for (int i = 0; i < kCount; ++i) p[static_cast<long long>(i) * s] = d[i];        \
    }                                                                                                      \
    template <int kCount>                                                                                  \
    __device__ inline void stindirect_##space(unsigned* p, const int(&x)[kCount], const unsigned(&d)[kCount]) { \
        _Pragma("unroll") for (int i = 0; i < kCount; ++i) p[x[i]] = d[i];                                 \
    }
PLAIN_CODE(global)
PLAIN_CODE(shared)
#undef PLAIN_CODE

#endif

template <class T, int kCount>
__device__ inline Words<T, kCount> typed(const unsigned (&bits)[kCount]) {
    Words<T, kCount> words;
#pragma unroll
    for (int i = 0; i < kCount; ++i) set_bits(words.v[i], bits[i]);
    return words;
}

template <class T, int kCount>
struct Untyped {
    __device__ explicit Untyped(const Words<T, kCount>& words) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) bits[i] = bits_of(words.v[i]);
    }
    unsigned bits[kCount];
};

template <class T>
__device__ inline const unsigned* words_at(const T* p) {
    return reinterpret_cast<const unsigned*>(p);
}
template <class T>
__device__ inline unsigned* words_at(T* p) {
    return reinterpret_cast<unsigned*>(p);
}

__device__ inline Words<int, 4> unpacked(int4 x) {
    return {{x.x, x.y, x.z, x.w}};
}
__device__ inline Words<unsigned, 4> unpacked(uint4 x) {
    return {{x.x, x.y, x.z, x.w}};
}
__device__ inline Words<float, 4> unpacked(float4 x) {
    return {{x.x, x.y, x.z, x.w}};
}

}  // namespace vector_memory

#define BY_LENGTH(space, suffix)                                                                                  \
    template <int kCount, class T>                                                                                \
    __device__ inline Words<T, kCount> ldstride##suffix(const T* p, int stride) {                                 \
        unsigned bits[kCount];                                                                                    \
        vector_memory::ldstride_##space(vector_memory::words_at(p), stride, bits);                                \
        return vector_memory::typed<T, kCount>(bits);                                                             \
    }                                                                                                             \
    template <class T, int kCount>                                                                                \
    __device__ inline Words<T, kCount> ldindirect##suffix(const T* p, const Words<int, kCount>& indices) {        \
        unsigned bits[kCount];                                                                                    \
        vector_memory::ldindirect_##space(vector_memory::words_at(p), indices.v, bits);                           \
        return vector_memory::typed<T, kCount>(bits);                                                             \
    }                                                                                                             \
    template <class T, int kCount>                                                                                \
    __device__ inline void ststride##suffix(T* p, int stride, const Words<T, kCount>& data) {                     \
        const vector_memory::Untyped<T, kCount> untyped(data);                                                    \
        vector_memory::ststride_##space(vector_memory::words_at(p), stride, untyped.bits);                        \
    }                                                                                                             \
    template <class T, int kCount>                                                                                \
    __device__ inline void stindirect##suffix(T* p, const Words<int, kCount>& indices, const Words<T, kCount>& data) { \
        const vector_memory::Untyped<T, kCount> untyped(data);                                                    \
        vector_memory::stindirect_##space(vector_memory::words_at(p), indices.v, untyped.bits);                   \
    }
BY_LENGTH(global, )
BY_LENGTH(shared, _shared)
#undef BY_LENGTH

// The paper's names.
#define OF_4(T, T4, suffix)                                                                                       \
    __device__ inline T4 __ldstride4##suffix(const T* p, int stride) {                                            \
        const auto d = ldstride##suffix<4>(p, stride);                                                            \
        return {d.v[0], d.v[1], d.v[2], d.v[3]};                                                                  \
    }                                                                                                             \
    __device__ inline T4 __ldindirect4##suffix(const T* p, int4 indices) {                                        \
        const auto d = ldindirect##suffix(p, vector_memory::unpacked(indices));                                   \
        return {d.v[0], d.v[1], d.v[2], d.v[3]};                                                                  \
    }                                                                                                             \
    __device__ inline void __ststride4##suffix(T* p, int stride, T4 data) {                                       \
        ststride##suffix(p, stride, vector_memory::unpacked(data));                                               \
    }                                                                                                             \
    __device__ inline void __stindirect4##suffix(T* p, int4 indices, T4 data) {                                   \
        stindirect##suffix(p, vector_memory::unpacked(indices), vector_memory::unpacked(data));                   \
    }
#define OF_MORE(n, suffix)                                                                                        \
    template <class T>                                                                                            \
    __device__ inline Words<T, n> __ldstride##n##suffix(const T* p, int stride) {                                 \
        return ldstride##suffix<n>(p, stride);                                                                    \
    }                                                                                                             \
    template <class T>                                                                                            \
    __device__ inline Words<T, n> __ldindirect##n##suffix(const T* p, const Words<int, n>& indices) {             \
        return ldindirect##suffix(p, indices);                                                                    \
    }                                                                                                             \
    template <class T>                                                                                            \
    __device__ inline void __ststride##n##suffix(T* p, int stride, const Words<T, n>& data) {                     \
        ststride##suffix(p, stride, data);                                                                        \
    }                                                                                                             \
    template <class T>                                                                                            \
    __device__ inline void __stindirect##n##suffix(T* p, const Words<int, n>& indices, const Words<T, n>& data) { \
        stindirect##suffix(p, indices, data);                                                                     \
    }
#define OF_ALL(suffix)        \
    OF_4(int, int4, suffix)      \
    OF_4(unsigned, uint4, suffix) \
    OF_4(float, float4, suffix)   \
    OF_MORE(8, suffix)            \
    OF_MORE(16, suffix)
OF_ALL()
OF_ALL(_shared)
#undef OF_ALL
#undef OF_MORE
#undef OF_4
