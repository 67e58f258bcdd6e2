// Device functions that are called and not inlined: arguments and results in registers and by reference, a structure by
// value, and several levels of calls.
#include "check.h"

struct Complex {
    float re, im;
};

__device__ __noinline__ Complex multiply(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ __noinline__ void divide(int a, int b, int& quotient, int& remainder) {
    quotient = a / b;
    remainder = a % b;
}
__device__ __noinline__ int greatest_divisor(int a, int b) {
    while (b != 0) {
        int quotient, remainder;
        divide(a, b, quotient, remainder);
        a = b;
        b = remainder;
    }
    return a;
}
__device__ __noinline__ long long factorial(int n) {
    long long product = 1;
    for (int i = 2; i <= n; ++i) product *= i;
    return product;
}

__global__ void call(Complex* products, int* divisors, long long* factorials) {
    const int i = threadIdx.x;
    Complex z{1, 0};
    for (int k = 0; k < i % 5; ++k) z = multiply(z, Complex{0, 2});
    products[i] = z;
    divisors[i] = greatest_divisor(360, i + 1);
    factorials[i] = factorial(i % 20);
}

int divisor(int a, int b) {
    return b == 0 ? a : divisor(b, a % b);
}

int main() {
    const int n = 64;
    Complex* products;
    int* divisors;
    long long* factorials;
    CUDA_CHECK(cudaMalloc(&products, n * sizeof(Complex)));
    CUDA_CHECK(cudaMalloc(&divisors, n * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&factorials, n * sizeof(long long)));
    call<<<1, n>>>(products, divisors, factorials);
    Complex z[n];
    int d[n];
    long long f[n];
    CUDA_CHECK(cudaMemcpy(z, products, sizeof z, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(d, divisors, sizeof d, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(f, factorials, sizeof f, cudaMemcpyDeviceToHost));
    const Complex powers[5] = {{1, 0}, {0, 2}, {-4, 0}, {0, -8}, {16, 0}};
    for (int i = 0; i < n; ++i) {
        EXPECT(z[i].re == powers[i % 5].re && z[i].im == powers[i % 5].im);
        EXPECT(d[i] == divisor(360, i + 1));
        long long product = 1;
        for (int k = 2; k <= i % 20; ++k) product *= k;
        EXPECT(f[i] == product);
    }
    return finish("device functions");
}
