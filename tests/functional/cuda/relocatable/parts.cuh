// What main.cu and parts.cu share: nvcc -rdc=true links their device code.
#pragma once

struct Shape {
    float width, height;
};

__device__ float area(const Shape& shape);
extern __device__ int calls;
extern __device__ float factors[4];
extern __constant__ float offset;
extern __managed__ int seen;

/// A weak symbol of both parts, with a variable that they share.
__device__ inline int next_number() {
    static int number = 0;
    return atomicAdd(&number, 1);
}

__global__ void scale(float* values, int count);
