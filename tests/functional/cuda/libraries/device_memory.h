// Device memory for the programs that use CUB.
#pragma once

#include <cstddef>
#include <vector>

#include "../check.h"

template <class T>
T* allocate(std::size_t count) {
    T* memory = nullptr;
    CUDA_CHECK(cudaMalloc(&memory, count * sizeof(T)));
    return memory;
}

template <class T>
std::vector<T> contents(const T* memory, std::size_t count) {
    std::vector<T> values(count);
    CUDA_CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

/// Makes a first call to ask CUB for the size of its temporary memory.
template <class Call>
void with_storage(Call call) {
    std::size_t bytes = 0;
    CUDA_CHECK(call(nullptr, bytes));
    void* const storage = allocate<char>(bytes);
    CUDA_CHECK(call(storage, bytes));
    CUDA_CHECK(cudaFree(storage));
}
