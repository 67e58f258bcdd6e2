// Graphs that allocate and free memory, node by node and in captured streams; memory that outlives its graph's launch;
// what a captured stream tells of its graph.
#include <cstdint>

#include "check.h"

__global__ void square(const int* from, int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] * from[i];
}

const int n = 300;
const std::size_t bytes = n * sizeof(int);
int input[n], results[n];

bool are_squares(int factor) {
    for (int i = 0; i < n; ++i)
        if (results[i] != factor * input[i] * input[i]) return false;
    return true;
}

std::uint64_t used() {
    std::uint64_t value = 1;
    EXPECT(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value) == cudaSuccess);
    return value;
}

cudaMemAllocNodeParams wanted() {
    cudaMemAllocNodeParams parameters{};
    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location.type = cudaMemLocationTypeDevice;
    parameters.bytesize = bytes;
    return parameters;
}

/// Copies, squares and copies back, in memory of its own. Without `free_last` the squares' memory stays.
cudaGraphExec_t squares(bool free_last, int** kept) {
    cudaGraph_t graph;
    cudaGraphNode_t first, copy, second, kernel, free_first, back, free_second, third, free_third;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams parameters = wanted();
    CUDA_CHECK(cudaGraphAddMemAllocNode(&first, graph, nullptr, 0, &parameters));
    int* from = static_cast<int*>(parameters.dptr);
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &first, 1, from, input, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaGraphAddMemAllocNode(&second, graph, &copy, 1, &parameters));
    int* to = static_cast<int*>(parameters.dptr);
    EXPECT(from != nullptr && to != nullptr && from != to);
    int count = n;
    void* arguments[] = {&from, &to, &count};
    cudaKernelNodeParams launch{};
    launch.func = reinterpret_cast<void*>(square);
    launch.gridDim = dim3(3);
    launch.blockDim = dim3(128);
    launch.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&kernel, graph, &second, 1, &launch));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&free_first, graph, &kernel, 1, from));
    // What is freed before can be the next allocation's, once.
    CUDA_CHECK(cudaGraphAddMemAllocNode(&third, graph, &free_first, 1, &parameters));
    EXPECT(parameters.dptr == from);
    CUDA_CHECK(cudaGraphAddMemFreeNode(&free_third, graph, &third, 1, parameters.dptr));
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, results, to, bytes, cudaMemcpyDeviceToHost));
    if (free_last) CUDA_CHECK(cudaGraphAddMemFreeNode(&free_second, graph, &back, 1, to));
    cudaGraphNodeType type;
    CUDA_CHECK(cudaGraphNodeGetType(third, &type));
    EXPECT(type == cudaGraphNodeTypeMemAlloc);
    void* freed = nullptr;
    CUDA_CHECK(cudaGraphMemFreeNodeGetParams(free_third, &freed));
    EXPECT(freed == from);
    cudaGraph_t copied;
    EXPECT(cudaGraphClone(&copied, graph) == cudaErrorNotSupported);
    EXPECT(cudaGetLastError() == cudaErrorNotSupported);
    cudaGraphExec_t executable;
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    *kept = to;
    return executable;
}

void explicit_graphs(cudaStream_t stream) {
    int* kept = nullptr;
    EXPECT(used() == 0);
    cudaGraphExec_t executable = squares(true, &kept);
    EXPECT(used() == 0);
    for (int round = 1; round <= 2; ++round) {
        for (int& value : input) value += round;
        CUDA_CHECK(cudaGraphLaunch(executable, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        EXPECT(are_squares(1));
        EXPECT(used() == 2 * bytes);
    }
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaDeviceGraphMemTrim(0));
    EXPECT(used() == 0);

    executable = squares(false, &kept);
    CUDA_CHECK(cudaGraphLaunch(executable, stream));
    square<<<3, 128, 0, stream>>>(kept, kept, n);
    CUDA_CHECK(cudaMemcpy(results, kept, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(results[i] == input[i] * input[i] * input[i] * input[i]);
    EXPECT(cudaGraphLaunch(executable, stream) == cudaErrorInvalidValue);  // the memory is still allocated
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA_CHECK(cudaFreeAsync(kept, stream));
    CUDA_CHECK(cudaGraphLaunch(executable, stream));

    cudaGraph_t freeing;
    cudaGraphNode_t node;
    cudaGraphExec_t executable_freeing;
    CUDA_CHECK(cudaGraphCreate(&freeing, 0));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&node, freeing, nullptr, 0, kept));
    CUDA_CHECK(cudaGraphInstantiate(&executable_freeing, freeing, 0));
    CUDA_CHECK(cudaGraphLaunch(executable_freeing, stream));
    CUDA_CHECK(cudaGraphLaunch(executable, stream));
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaMemcpy(results, kept, bytes, cudaMemcpyDeviceToHost));  // it outlives the graph
    EXPECT(are_squares(1));
    CUDA_CHECK(cudaFree(kept));
}

void captured_streams(cudaStream_t stream) {
    int *from, *to;
    cudaGraph_t graph, ended;
    cudaGraphExec_t executable;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t* last = nullptr;
    std::size_t count = 0;
    unsigned long long id = 0;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaMallocAsync(&from, bytes, stream));
    CUDA_CHECK(cudaMallocAsync(&to, bytes, stream));
    CUDA_CHECK(cudaMemcpyAsync(from, input, bytes, cudaMemcpyHostToDevice, stream));
    square<<<3, 128, 0, stream>>>(from, to, n);
    CUDA_CHECK(cudaFreeAsync(from, stream));
    CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, nullptr, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && count == 1);
    cudaGraphNodeType type;
    CUDA_CHECK(cudaGraphNodeGetType(last[0], &type));
    EXPECT(type == cudaGraphNodeTypeMemFree);
    // A node that the program adds by itself, and that the stream goes on from.
    cudaGraphNode_t back;
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&back, graph, last, count, results, to, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaStreamUpdateCaptureDependencies(stream, &back, nullptr, 1, cudaStreamSetCaptureDependencies));
    CUDA_CHECK(cudaFreeAsync(to, stream));
    CUDA_CHECK(cudaStreamEndCapture(stream, &ended));
    EXPECT(ended == graph);
    std::size_t edges = 0;
    CUDA_CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    EXPECT(edges == 6);
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int round = 0; round < 2; ++round) {
        for (int& value : input) value += 2;
        CUDA_CHECK(cudaGraphLaunch(executable, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        EXPECT(are_squares(1));
    }
    CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, nullptr, &count));
    EXPECT(status == cudaStreamCaptureStatusNone);

    // A stream's work goes behind a node of a graph that there is already; the launch frees what the one before left.
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t allocation;
    cudaMemAllocNodeParams parameters = wanted();
    CUDA_CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &parameters));
    CUDA_CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &allocation, nullptr, 1, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaMemcpyAsync(parameters.dptr, input, bytes, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaStreamEndCapture(stream, nullptr));
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CUDA_CHECK(cudaGraphLaunch(executable, stream));
    CUDA_CHECK(cudaGraphLaunch(executable, stream));
    square<<<3, 128, 0, stream>>>(static_cast<int*>(parameters.dptr), static_cast<int*>(parameters.dptr), n);
    CUDA_CHECK(cudaMemcpy(results, parameters.dptr, bytes, cudaMemcpyDeviceToHost));
    EXPECT(are_squares(1));
}

int main() {
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < n; ++i) input[i] = i % 20;
    explicit_graphs(stream);
    captured_streams(stream);
    return finish("graph memory");
}
