// For the vector.cu files: rounds of looped.cuh whose elements a vector memory instruction reads or writes, where a round
// has several; one element at the end of a loop is read or written as ever.
#pragma once

#include "looped.cuh"
#include "vector_memory.cuh"

// p[0], p[stride], p[2 * stride], ...
template <int kCount, class T>
__device__ inline Words<T, kCount> read_strided(Count<kCount>, const T* p, int stride) {
    if constexpr (kCount == 1)
        return {{*p}};
    else
        return ldstride<kCount>(p, stride);
}
template <int kCount, class T>
__device__ inline Words<T, kCount> read_strided_shared(Count<kCount>, const T* p, int stride) {
    if constexpr (kCount == 1)
        return {{*p}};
    else
        return ldstride_shared<kCount>(p, stride);
}
// p[indices[0]], p[indices[1]], ...
template <int kCount, class T>
__device__ inline Words<T, kCount> read_indirect(Count<kCount>, const T* p, const Words<int, kCount>& indices) {
    if constexpr (kCount == 1)
        return {{p[indices[0]]}};
    else
        return ldindirect(p, indices);
}
template <int kCount, class T>
__device__ inline void write_strided(Count<kCount>, T* p, int stride, const Words<T, kCount>& data) {
    if constexpr (kCount == 1)
        *p = data[0];
    else
        ststride(p, stride, data);
}
template <int kCount, class T>
__device__ inline void write_indirect(Count<kCount>, T* p, const Words<int, kCount>& indices,
                                      const Words<T, kCount>& data) {
    if constexpr (kCount == 1)
        p[indices[0]] = data[0];
    else
        stindirect(p, indices, data);
}
template <int kCount, class T>
__device__ inline void write_strided_shared(Count<kCount>, T* p, int stride, const Words<T, kCount>& data) {
    if constexpr (kCount == 1)
        *p = data[0];
    else
        ststride_shared(p, stride, data);
}

// The kernels of all lengths: `kernel` is a macro that takes the length.
#define FOR_VECTOR_LENGTHS(kernel) kernel(4) kernel(8) kernel(16)
