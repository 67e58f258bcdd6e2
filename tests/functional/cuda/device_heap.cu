// malloc and free, new and delete in kernels: objects with virtual functions that outlive the kernel that made them, lists,
// a block's common array, and what is freed is used again.
#include "check.h"

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    float side;
};
struct Ring : Shape {
    __device__ Ring(float o, float i) : outer(o), inner(i) {}
    __device__ float area() const override { return 3 * (outer * outer - inner * inner); }
    float outer, inner;
};
struct Node {
    int value;
    Node* next;
};

__device__ Shape* shapes[192];
__device__ Node* first;

__device__ int index() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void make_shapes() {
    const int i = index();
    if (i % 2 == 0) shapes[i] = new Square(i);
    if (i % 2 == 1) shapes[i] = new Ring(i, 1);
}
__global__ void measure(float* areas) {
    areas[index()] = shapes[index()]->area();
}
__global__ void drop_shapes() {
    delete shapes[index()];
}
__global__ void push() {
    Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
    node->value = index();
    auto* const head = reinterpret_cast<unsigned long long*>(&first);
    for (unsigned long long seen = *head;;) {
        node->next = reinterpret_cast<Node*>(seen);
        __threadfence();
        const unsigned long long before = atomicCAS(head, seen, reinterpret_cast<unsigned long long>(node));
        if (before == seen) break;
        seen = before;
    }
}
__global__ void sum_and_free(int* sum) {
    for (Node* node = first; node != nullptr;) {
        Node* const next = node->next;
        *sum += node->value;
        free(node);
        node = next;
    }
    first = nullptr;
}
__global__ void reverse(int* out) {
    __shared__ int* cells;
    if (threadIdx.x == 0) cells = new int[blockDim.x];
    __syncthreads();
    cells[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[index()] = cells[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) delete[] cells;
}
// 100 rounds of more than half of the heap: what is freed must come back.
__global__ void use_again(int* failures) {
    for (int i = 0; i < 100; ++i) {
        char* const memory = static_cast<char*>(malloc(60 << 20));
        if (memory == nullptr) ++*failures;
        free(memory);
    }
    if (malloc(std::size_t{1} << 40) != nullptr) ++*failures;
    free(nullptr);
}

int main() {
    const int n = 192;
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20));
    float *areas, host[n];
    CUDA_CHECK(cudaMalloc(&areas, sizeof host));
    make_shapes<<<3, 64>>>();
    measure<<<3, 64>>>(areas);
    drop_shapes<<<3, 64>>>();
    CUDA_CHECK(cudaMemcpy(host, areas, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        const auto x = static_cast<float>(i);
        EXPECT(host[i] == (i % 2 == 0 ? x * x : 3 * (x * x - 1)));
    }

    int *numbers, back[n];
    CUDA_CHECK(cudaMalloc(&numbers, sizeof back));
    CUDA_CHECK(cudaMemset(numbers, 0, sizeof back));
    for (int round = 0; round < 2; ++round) {
        push<<<2, 64>>>();
        sum_and_free<<<1, 1>>>(numbers);
    }
    use_again<<<1, 1>>>(numbers + 1);
    CUDA_CHECK(cudaMemcpy(back, numbers, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 2 * 127 * 128 / 2);
    EXPECT(back[1] == 0);
    reverse<<<3, 64>>>(numbers);
    CUDA_CHECK(cudaMemcpy(back, numbers, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(back[i] == 63 - i % 64);
    return finish("device heap");
}
