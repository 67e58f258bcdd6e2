// Common to this folder's programs: they stop at a CUDA error and report whether their result is right.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                                            \
    do {                                                                                                            \
        const cudaError_t error = (call);                                                                           \
        if (error != cudaSuccess) {                                                                                 \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(error), cudaGetErrorString(error)); \
            std::exit(1);                                                                                           \
        }                                                                                                           \
    } while (false)

inline int wrong = 0;

#define EXPECT(condition)                                                            \
    do {                                                                             \
        if (!(condition)) {                                                          \
            if (++wrong < 5) std::printf("line %d: not %s\n", __LINE__, #condition); \
        }                                                                            \
    } while (false)

/// Prints the program's last line and returns its exit status.
inline int finish(const char* what) {
    if (wrong != 0) { std::printf("%s: %d wrong\n", what, wrong); }
    if (wrong == 0) { std::printf("%s: correct\n", what); }
    return wrong != 0;
}
