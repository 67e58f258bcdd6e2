// printf in all its forms, also in divergent code and with text that lies in local memory.
#include <cstdio>

__global__ void greet(int n, const char* name) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) printf("thread %d of %s\n", i, name);
    if (i == 5) {
        char own[4] = {'o', 'w', static_cast<char>('a' + blockIdx.x), 0};
        const int count = printf("[%5d|%-5d|%05d|%+d|%x|%#X|%o|%u]\n", -42, 42, 42, 42, 255, 255, 8, 4000000000u);
        printf("[%lld|%llx|%hd|%hhu|%c|%%|%s|%8s|%-4s|%.2s]\n", -1234567890123ll, 0xfedcba9876543210ull, 70000, 300,
               'x', own, own, own, "abcdef");
        printf("[%f|%.3f|%10.2e|%g|%a|%*d|%.*f]\n", 3.25, 2.0 / 3, 12345.678, 1e-10, 1.0, 6, 7, 2, 1.005);
        printf("[%p|%s] %d\n", reinterpret_cast<void*>(0x1234), static_cast<char*>(nullptr), count);
    }
}

int main() {
    char* name = nullptr;
    cudaMalloc(&name, 16);
    cudaMemcpy(name, "the grid", 9, cudaMemcpyHostToDevice);
    greet<<<2, 40>>>(3, name);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("host\n");
    greet<<<1, 64>>>(34, name);
    cudaMemcpy(name, "x", 2, cudaMemcpyHostToDevice);
    char back[2];
    cudaMemcpy(back, name, sizeof back, cudaMemcpyDeviceToHost);
    cudaFree(name);
    const bool correct = cudaGetLastError() == cudaSuccess && back[0] == 'x' && back[1] == 0;
    std::printf("printf: %s\n", correct ? "correct" : "wrong");
    return !correct;
}
