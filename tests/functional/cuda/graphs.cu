// Graphs: captured from two streams, launched several times; built node by node; cloned and changed.
#include "check.h"

__global__ void increment(int* values, int by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += by;
}
__global__ void combine(const int* a, int* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 10 * b[i] + a[i];
}

int main() {
    const int n = 200;
    const std::size_t bytes = n * sizeof(int);
    int *a, *b, results[n], calls = 0;
    CUDA_CHECK(cudaMalloc(&a, bytes));
    CUDA_CHECK(cudaMalloc(&b, bytes));
    cudaStream_t main_stream, side;
    CUDA_CHECK(cudaStreamCreate(&main_stream));
    CUDA_CHECK(cudaStreamCreate(&side));
    cudaEvent_t fork, join;
    CUDA_CHECK(cudaEventCreate(&fork));
    CUDA_CHECK(cudaEventCreate(&join));
    CUDA_CHECK(cudaMemset(b, 0, bytes));

    CUDA_CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaMemsetAsync(a, 0, bytes, main_stream));
    CUDA_CHECK(cudaEventRecord(fork, main_stream));
    CUDA_CHECK(cudaStreamWaitEvent(side, fork, 0));
    increment<<<2, 128, 0, main_stream>>>(a, 3, n);
    increment<<<2, 128, 0, side>>>(b, 1, n);
    CUDA_CHECK(cudaEventRecord(join, side));
    CUDA_CHECK(cudaStreamWaitEvent(main_stream, join, 0));
    combine<<<2, 128, 0, main_stream>>>(a, b, n);
    CUDA_CHECK(cudaMemcpyAsync(results, b, bytes, cudaMemcpyDeviceToHost, main_stream));
    CUDA_CHECK(cudaLaunchHostFunc(
        main_stream, [](void* count) { ++*static_cast<int*>(count); }, &calls));
    cudaStreamCaptureStatus status;
    CUDA_CHECK(cudaStreamIsCapturing(side, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamEndCapture(main_stream, &graph));
    std::size_t nodes = 0;
    CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 6);
    cudaGraphExec_t executable;
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    int expected = 0;
    for (int round = 1; round <= 3; ++round) {
        CUDA_CHECK(cudaGraphLaunch(executable, main_stream));
        CUDA_CHECK(cudaStreamSynchronize(main_stream));
        expected = 10 * (expected + 1) + 3;
        EXPECT(calls == round);
        for (int i = 0; i < n; ++i) EXPECT(results[i] == expected);
    }
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaGraphDestroy(graph));

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams zero{};
    zero.dst = a;
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    zero.value = 0x00010002;
    int by = 5, count = n;
    void* arguments[] = {&a, &by, &count};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(increment);
    kernel.gridDim = dim3(2);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = arguments;
    cudaGraphNode_t fill_node, kernel_node, copy_node;
    CUDA_CHECK(cudaGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &zero));
    CUDA_CHECK(cudaGraphAddKernelNode(&kernel_node, graph, &fill_node, 1, &kernel));
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copy_node, graph, &kernel_node, 1, results, a, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    by = 7;
    CUDA_CHECK(cudaGraphExecKernelNodeSetParams(executable, kernel_node, &kernel));
    CUDA_CHECK(cudaGraphLaunch(executable, main_stream));
    CUDA_CHECK(cudaStreamSynchronize(main_stream));
    for (int i = 0; i < n; ++i) EXPECT(results[i] == 0x00010009);

    cudaGraph_t copy;
    cudaGraphNode_t kernel_copy, from[4], to[4];
    CUDA_CHECK(cudaGraphClone(&copy, graph));
    CUDA_CHECK(cudaGraphNodeFindInClone(&kernel_copy, kernel_node, copy));
    std::size_t edges = 4;
    CUDA_CHECK(cudaGraphGetEdges(copy, from, to, nullptr, &edges));
    EXPECT(edges == 2 && to[0] == kernel_copy);
    by = 9;
    CUDA_CHECK(cudaGraphKernelNodeSetParams(kernel_copy, &kernel));
    by = 11;
    cudaGraphInstantiateParams how{};
    cudaGraphExec_t changed;
    CUDA_CHECK(cudaGraphInstantiateWithParams(&changed, copy, &how));
    EXPECT(how.result_out == cudaGraphInstantiateSuccess);
    CUDA_CHECK(cudaGraphLaunch(changed, main_stream));
    CUDA_CHECK(cudaStreamSynchronize(main_stream));
    for (int i = 0; i < n; ++i) EXPECT(results[i] == 0x0001000b);
    CUDA_CHECK(cudaGraphDestroyNode(kernel_copy));
    CUDA_CHECK(cudaGraphGetNodes(copy, nullptr, &nodes));
    EXPECT(nodes == 2);
    CUDA_CHECK(cudaGraphLaunch(executable, main_stream));
    CUDA_CHECK(cudaStreamSynchronize(main_stream));
    for (int i = 0; i < n; ++i) EXPECT(results[i] == 0x00010009);
    return finish("graphs");
}
