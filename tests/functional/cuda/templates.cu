// Templates over types, functors and numbers, instantiated in a kernel and in device functions.
#include "check.h"

struct Square {
    template <class T>
    __device__ T operator()(T x) const {
        return x * x;
    }
};
struct AddConstant {
    int constant;
    template <class T>
    __device__ T operator()(T x) const {
        return x + static_cast<T>(constant);
    }
};

template <int kPower>
struct Power {
    template <class T>
    __device__ static T of(T x) {
        return x * Power<kPower - 1>::of(x);
    }
};
template <>
struct Power<0> {
    template <class T>
    __device__ static T of(T) {
        return 1;
    }
};

template <class T, class First, class Second>
__global__ void apply(T* values, int n, First first, Second second) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = second(first(values[i])) + Power<3>::of(static_cast<T>(i % 4));
}

template <class T>
void check_type() {
    const int n = 100;
    T values[n];
    for (int i = 0; i < n; ++i) values[i] = static_cast<T>(i - 20);
    T* device;
    CUDA_CHECK(cudaMalloc(&device, sizeof values));
    CUDA_CHECK(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
    apply<<<2, 64>>>(device, n, Square{}, AddConstant{7});
    CUDA_CHECK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        EXPECT(values[i] == static_cast<T>((i - 20) * (i - 20) + 7 + (i % 4) * (i % 4) * (i % 4)));
    CUDA_CHECK(cudaFree(device));
}

int main() {
    check_type<int>();
    check_type<long long>();
    check_type<float>();
    check_type<double>();
    return finish("templates");
}
