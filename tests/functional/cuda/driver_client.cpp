// A program that is also linked with CUDA's driver interface: it starts, and is refused when it calls that interface.
#include <cstdio>

#include "tests/functional/cuda/runtime_abi.h"

extern "C" int cuModuleLoadData(void** module, const void* image);

int main(int count, char**) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 64) != cudaSuccess) { return 1; }
    std::printf("runtime works\n");
    void* module = nullptr;
    return count > 1 ? cuModuleLoadData(&module, "") : 0;
}
