// Managed memory and managed variables, written by host and kernels in turn; a list whose nodes both follow.
#include "check.h"

__managed__ int factor = 3;
__managed__ float totals[4];

struct Node {
    int value;
    Node* next;
};

__global__ void scale(int* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
__global__ void walk(const Node* first) {
    float sum = 0;
    for (const Node* node = first; node != nullptr; node = node->next) sum += static_cast<float>(node->value);
    totals[threadIdx.x] = sum * static_cast<float>(threadIdx.x);
}

int main() {
    const int n = 3000;
    int* values;
    CUDA_CHECK(cudaMallocManaged(&values, n * sizeof(int)));
    for (int i = 0; i < n; ++i) values[i] = i;
    scale<<<(n + 127) / 128, 128>>>(values, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) EXPECT(values[i] == 3 * i);
    values[17] = -1;
    factor = -2;
    scale<<<(n + 127) / 128, 128>>>(values, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) EXPECT(values[i] == (i == 17 ? 2 : -6 * i));

    Node* nodes;
    CUDA_CHECK(cudaMallocManaged(&nodes, 10 * sizeof(Node)));
    for (int i = 0; i < 10; ++i) nodes[i] = {i * i, i + 1 < 10 ? &nodes[i + 1] : nullptr};
    walk<<<1, 4>>>(nodes);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; ++i) EXPECT(totals[i] == 285.0f * static_cast<float>(i));

    cudaPointerAttributes attributes;
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, values));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    CUDA_CHECK(cudaFree(nodes));
    CUDA_CHECK(cudaFree(values));
    return finish("managed memory");
}
