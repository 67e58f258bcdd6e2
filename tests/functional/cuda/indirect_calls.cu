// Calls through a table of function pointers, through a pointer that the host passes, and virtual ones; lanes of a warp
// call different functions.
#include <cstdio>

using Operation = int (*)(int, int);

__device__ __noinline__ int add(int a, int b) {
    return a + b;
}
__device__ __noinline__ int multiply(int a, int b) {
    return a * b;
}
__device__ __noinline__ int fibonacci(int a, int b) {
    for (int i = 0; i < b; ++i) {
        const int next = a + i;
        b = next > 20 ? i : b;
        a = next;
    }
    return a;
}
__device__ Operation table[] = {add, multiply, fibonacci};
__device__ Operation chosen = multiply;

struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

__global__ void call_table(int* out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = table[i % 3](i, 5);
}
__global__ void call_argument(int* out, Operation operation) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i % 4 != 1) out[i] = operation(out[i], 3);
}
__global__ void call_virtual(float* out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    const Square square(i);
    const Circle circle(i);
    const Shape* const shapes[] = {&square, &circle};
    out[i] = shapes[i & 1]->area();
}

int main() {
    constexpr int kCount = 192;
    int *out = nullptr, host[kCount];
    cudaMalloc(&out, sizeof host);
    call_table<<<3, 64>>>(out);
    Operation operation = nullptr;
    cudaMemcpyFromSymbol(&operation, chosen, sizeof operation);
    call_argument<<<3, 64>>>(out, operation);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < kCount; ++i) {
        int a = i, b = 5;
        if (i % 3 == 0) a += b;
        if (i % 3 == 1) a *= b;
        if (i % 3 == 2)
            for (int j = 0; j < b; ++j) {
                const int next = a + j;
                b = next > 20 ? j : b;
                a = next;
            }
        if (i % 4 != 1) a *= 3;
        wrong += host[i] != a;
    }
    float areas[kCount];
    auto* const floats = reinterpret_cast<float*>(out);
    call_virtual<<<3, 64>>>(floats);
    cudaMemcpy(areas, floats, sizeof areas, cudaMemcpyDeviceToHost);
    for (int i = 0; i < kCount; ++i) wrong += areas[i] != (i & 1 ? 3.0f * i * i : 1.0f * i * i);
    std::printf("%s\n", wrong == 0 ? "correct" : "wrong");
    return wrong == 0 ? 0 : 1;
}
