// Graphs, made by capturing streams or node by node. A launch does the nodes' work in an order that the edges allow.
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/graph_memory.h"
#include "components/frontend/cudart/runtime/launch.h"
#include "components/frontend/cudart/runtime/streams.h"

namespace lookahead::cudart {

GraphNode* Graph::add(NodeKind kind, Work work, std::vector<GraphNode*> after) {
    nodes.push_back(std::make_unique<GraphNode>(GraphNode{kind, std::move(work), std::move(after)}));
    nodes.back()->graph = this;
    return nodes.back().get();
}

std::vector<GraphNode*> Graph::ordered() const {
    std::vector<GraphNode*> order;
    std::unordered_set<const GraphNode*> placed;
    while (order.size() < nodes.size()) {
        const std::size_t before = order.size();
        for (const auto& node : nodes) {
            const bool ready =
                std::ranges::all_of(node->after, [&](const GraphNode* other) { return placed.contains(other); });
            if (!ready || placed.contains(node.get())) { continue; }
            placed.insert(node.get());
            order.push_back(node.get());
        }
        if (order.size() == before) { return {}; }
    }
    return order;
}

namespace {

/// A graph that can be launched: the work of its nodes at the time of its instantiation.
struct ExecutableGraph {
    std::vector<std::pair<const GraphNode*, Work>> steps{};
    std::vector<std::shared_ptr<GraphMemory>> allocations{};
    bool frees_at_launch = false;  ///< frees the memory of the previous launch

    Work* find(const GraphNode* node) {
        const auto found = std::ranges::find(steps, node, &std::pair<const GraphNode*, Work>::first);
        return found == steps.end() ? nullptr : &found->second;
    }
};

/// cudaMemsetParams and cudaHostNodeParams.
struct FillNodeParameters {
    void* to;
    std::size_t pitch;
    unsigned value, value_bytes;
    std::size_t width, height;
};
struct HostNodeParameters {
    void (*function)(void*);
    void* data;
};

/// cudaGraphInstantiateParams.
struct InstantiateParameters {
    std::uint64_t flags;
    void* upload_stream;
    GraphNode* failed;
    unsigned result;
};

std::uint64_t next_capture = 1;
thread_local int capture_mode = 0;

CudaError add_node(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, NodeKind kind,
                   Work work) {
    if (node == nullptr || graph == nullptr || (after == nullptr && count != 0)) { return remember(kInvalidValue); }
    *node = graph->add(kind, std::move(work), {after, after + count});
    return kSuccess;
}

Work fill_work(const FillNodeParameters& fill) {
    return [fill] {
        for (std::size_t row = 0; row < fill.height; ++row) {
            const CudaError error = fill_now(static_cast<char*>(fill.to) + row * fill.pitch, fill.value,
                                             fill.value_bytes, fill.width * fill.value_bytes);
            if (error != kSuccess) { return error; }
        }
        return kSuccess;
    };
}

Work host_work(const HostNodeParameters& host) {
    return [host] { return call_on_host([host] { host.function(host.data); }); };
}

CudaError instantiate(ExecutableGraph** executable, const Graph* graph, std::uint64_t flags = 0) {
    constexpr std::uint64_t kFreeAtLaunch = 1;
    if (executable == nullptr || graph == nullptr) { return remember(kInvalidValue); }
    const std::vector<GraphNode*> order = graph->ordered();
    if (order.size() != graph->nodes.size()) { return remember(kInvalidValue); }
    *executable = new ExecutableGraph{.frees_at_launch = (flags & kFreeAtLaunch) != 0};
    for (const GraphNode* node : order) {
        (*executable)->steps.emplace_back(node, node->work);
        if (node->kind == NodeKind::allocate) { (*executable)->allocations.push_back(node->memory); }
    }
    return kSuccess;
}

CudaError run(const ExecutableGraph& graph) {
    for (const auto& memory : graph.allocations) {
        if (!memory->is_allocated()) { continue; }
        if (!graph.frees_at_launch) { return remember(kInvalidValue); }
        memory->free();
    }
    for (const auto& [node, work] : graph.steps) {
        const CudaError error = work ? work() : kSuccess;
        if (error != kSuccess) { return error; }
    }
    return kSuccess;
}

CudaError set_work(ExecutableGraph* graph, const GraphNode* node, Work work) {
    Work* const place = graph == nullptr ? nullptr : graph->find(node);
    if (place == nullptr) { return remember(kInvalidValue); }
    *place = std::move(work);
    return kSuccess;
}

CudaError set_work(GraphNode* node, NodeKind kind, Work work) {
    if (node == nullptr || node->kind != kind) { return remember(kInvalidValue); }
    node->work = std::move(work);
    return kSuccess;
}

std::unique_ptr<Graph> clone(const Graph& graph) {
    auto copy = std::make_unique<Graph>();
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    for (const auto& node : graph.nodes) {
        GraphNode* const made = copy->add(node->kind, node->work, {});
        made->copy_of = node.get();
        copies.emplace(node.get(), made);
    }
    for (const auto& node : graph.nodes) {
        for (const GraphNode* const before : node->after) { copies.at(node.get())->after.push_back(copies.at(before)); }
    }
    return copy;
}

Work copy_work(void* to, const void* from, std::size_t bytes, int kind) {
    return [=] { return copy_now(to, from, bytes, kind); };
}

CudaError list(const std::vector<GraphNode*>& found, GraphNode** nodes, std::size_t* count) {
    if (nodes != nullptr) { std::copy_n(found.begin(), std::min(*count, found.size()), nodes); }
    *count = found.size();
    return kSuccess;
}

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaThreadExchangeStreamCaptureMode(int* mode) {
    std::swap(*mode, capture_mode);
    return kSuccess;
}
CudaError cudaStreamBeginCaptureToGraph(void* handle, Graph* graph, GraphNode* const* after, const void*,
                                        std::size_t count, int) {
    if (address_of(handle) <= 1) {
        return remember(kStreamCaptureUnsupported);  // the legacy default stream
    }
    if (!is_stream(handle)) { return remember(kInvalidResourceHandle); }
    if (graph == nullptr || (after == nullptr && count != 0)) { return remember(kInvalidValue); }
    Stream& stream = stream_of(handle);
    if (stream.is_captured()) { return remember(kIllegalState); }
    stream.capture = std::make_shared<StreamCapture>(StreamCapture{graph, next_capture++});
    stream.is_origin = true;
    stream.last = {after, after + count};
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz)
CudaError cudaStreamBeginCapture(void* stream, int) {
    auto graph = std::make_unique<Graph>();
    const CudaError error = cudaStreamBeginCaptureToGraph(stream, graph.get(), nullptr, nullptr, 0, 0);
    if (error == kSuccess) { graph.release(); }
    return error;
}
LOOKAHEAD_PER_THREAD(cudaStreamBeginCapture, _ptsz)
/// Streams that joined leave the capture at their next use (Stream::is_captured).
CudaError cudaStreamEndCapture(void* handle, Graph** graph) {
    if (!is_stream(handle)) { return remember(kInvalidResourceHandle); }
    Stream& stream = stream_of(handle);
    if (!stream.is_captured()) { return remember(kIllegalState); }
    if (!stream.is_origin) { return remember(kStreamCaptureUnmatched); }
    if (graph != nullptr) { *graph = stream.capture->graph; }
    stream.capture->graph = nullptr;
    stream.capture.reset();
    stream.is_origin = false;
    stream.last.clear();
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamEndCapture, _ptsz)
CudaError cudaStreamIsCapturing(void* stream, int* status) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    *status = stream_of(stream).is_captured();
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamIsCapturing, _ptsz)
/// CUDA 12's function of this name.
CudaError cudaStreamGetCaptureInfo_v3(void* handle, int* status, unsigned long long* id, Graph** graph,
                                      GraphNode* const** last, const std::uint64_t** edges, std::size_t* count) {
    if (!is_stream(handle)) { return remember(kInvalidResourceHandle); }
    if (status == nullptr) { return remember(kInvalidValue); }
    Stream& stream = stream_of(handle);
    *status = stream.is_captured();
    if (!stream.is_captured()) { return kSuccess; }
    static thread_local std::vector<std::uint64_t> plain_edges;
    plain_edges.assign(stream.last.size(), 0);
    if (id != nullptr) { *id = stream.capture->id; }
    if (graph != nullptr) { *graph = stream.capture->graph; }
    if (last != nullptr) { *last = stream.last.data(); }
    if (edges != nullptr) { *edges = plain_edges.data(); }
    if (count != nullptr) { *count = stream.last.size(); }
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz)
CudaError cudaStreamGetCaptureInfo_v2(void* handle, int* status, unsigned long long* id, Graph** graph,
                                      GraphNode* const** last, std::size_t* count) {
    return cudaStreamGetCaptureInfo_v3(handle, status, id, graph, last, nullptr, count);
}
LOOKAHEAD_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz)
/// Before CUDA 13 it has only the first three arguments.
CudaError cudaStreamGetCaptureInfo(void* handle, int* status, unsigned long long* id, Graph** graph,
                                   GraphNode* const** last, const std::uint64_t** edges, std::size_t* count) {
    return kRuntimeMajor >= 13 ? cudaStreamGetCaptureInfo_v3(handle, status, id, graph, last, edges, count)
                               : cudaStreamGetCaptureInfo_v3(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}
LOOKAHEAD_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)
CudaError cudaStreamUpdateCaptureDependencies_v2(void* handle, GraphNode* const* nodes, const void*, std::size_t count,
                                                 unsigned flags) {
    constexpr unsigned kReplace = 1;
    if (!is_stream(handle)) { return remember(kInvalidResourceHandle); }
    if ((nodes == nullptr && count != 0) || flags > kReplace) { return remember(kInvalidValue); }
    Stream& stream = stream_of(handle);
    if (!stream.is_captured()) { return remember(kIllegalState); }
    if (flags == kReplace) { stream.last.clear(); }
    stream.last.insert(stream.last.end(), nodes, nodes + count);
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, _ptsz)
/// CUDA 13 has a list of edge data before the count.
CudaError cudaStreamUpdateCaptureDependencies(void* handle, GraphNode* const* nodes, std::uintptr_t third,
                                              std::size_t fourth, unsigned fifth) {
    return kRuntimeMajor >= 13
               ? cudaStreamUpdateCaptureDependencies_v2(handle, nodes, nullptr, fourth, fifth)
               : cudaStreamUpdateCaptureDependencies_v2(handle, nodes, nullptr, third, static_cast<unsigned>(fourth));
}
LOOKAHEAD_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)

CudaError cudaGraphCreate(Graph** graph, unsigned) {
    *graph = new Graph;
    return kSuccess;
}
CudaError cudaGraphDestroy(Graph* graph) {
    delete graph;
    return kSuccess;
}
CudaError cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count) {
    return add_node(node, graph, after, count, NodeKind::empty, {});
}
CudaError cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                 const KernelNodeParameters* parameters) {
    CudaError error = kSuccess;
    Work work = launch_work(*parameters, error);
    return error == kSuccess ? add_node(node, graph, after, count, NodeKind::kernel, std::move(work)) : error;
}
CudaError cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                 const Copy3d* box) {
    return add_node(node, graph, after, count, NodeKind::copy, [copy = *box] { return copy_box_now(copy); });
}
CudaError cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count, void* to,
                                   const void* from, std::size_t bytes, int kind) {
    return add_node(node, graph, after, count, NodeKind::copy, copy_work(to, from, bytes, kind));
}
CudaError cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                 const FillNodeParameters* fill) {
    return add_node(node, graph, after, count, NodeKind::fill, fill_work(*fill));
}
CudaError cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                               const HostNodeParameters* host) {
    return add_node(node, graph, after, count, NodeKind::host, host_work(*host));
}
CudaError cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                     const Graph* child) {
    ExecutableGraph* executable = nullptr;
    const CudaError error = instantiate(&executable, child);
    if (error != kSuccess) { return error; }
    return add_node(node, graph, after, count, NodeKind::graph,
                    [shared = std::shared_ptr<ExecutableGraph>(executable)] { return run(*shared); });
}
/// CUDA 13 has a list of edge data before the count; it is ignored.
CudaError cudaGraphAddDependencies(Graph*, GraphNode* const* from, GraphNode* const* to, std::uintptr_t fourth,
                                   std::size_t fifth) {
    const std::size_t count = kRuntimeMajor >= 13 ? fifth : fourth;
    for (std::size_t i = 0; i < count; ++i) { to[i]->after.push_back(from[i]); }
    return kSuccess;
}
CudaError cudaGraphRemoveDependencies(Graph*, GraphNode* const* from, GraphNode* const* to, std::uintptr_t fourth,
                                      std::size_t fifth) {
    const std::size_t count = kRuntimeMajor >= 13 ? fifth : fourth;
    for (std::size_t i = 0; i < count; ++i) {
        if (std::erase(to[i]->after, from[i]) == 0) { return remember(kInvalidValue); }
    }
    return kSuccess;
}
/// Copied nodes have the same index. As in CUDA, graphs do not share memory.
CudaError cudaGraphClone(Graph** copy, const Graph* graph) {
    if (copy == nullptr || graph == nullptr) { return remember(kInvalidValue); }
    if (std::ranges::any_of(graph->nodes, [](const auto& node) { return node->memory != nullptr; })) {
        return remember(kNotSupported);
    }
    *copy = clone(*graph).release();
    return kSuccess;
}
CudaError cudaGraphNodeFindInClone(GraphNode** found, const GraphNode* node, const Graph* copy) {
    if (found == nullptr || copy == nullptr) { return remember(kInvalidValue); }
    for (const auto& candidate : copy->nodes) {
        if (candidate->copy_of == node) {
            *found = candidate.get();
            return kSuccess;
        }
    }
    return remember(kInvalidValue);
}
CudaError cudaGraphDestroyNode(GraphNode* node) {
    if (node == nullptr) { return remember(kInvalidValue); }
    Graph& graph = *node->graph;
    for (const auto& other : graph.nodes) { std::erase(other->after, node); }
    std::erase_if(graph.nodes, [node](const auto& other) { return other.get() == node; });
    return kSuccess;
}
/// CUDA 13 has a list of edge data before the count, as below.
CudaError cudaGraphGetEdges(const Graph* graph, GraphNode** from, GraphNode** to, void* fourth, std::size_t* fifth) {
    std::vector<GraphNode*> begins, ends;
    for (const auto& node : graph->nodes) {
        for (GraphNode* const before : node->after) {
            begins.push_back(before);
            ends.push_back(node.get());
        }
    }
    auto* const count = kRuntimeMajor >= 13 ? fifth : static_cast<std::size_t*>(fourth);
    std::size_t room = *count;
    list(begins, from, &room);
    return list(ends, to, count);
}
CudaError cudaGraphNodeGetDependencies(const GraphNode* node, GraphNode** nodes, void* third, std::size_t* fourth) {
    return list(node->after, nodes, kRuntimeMajor >= 13 ? fourth : static_cast<std::size_t*>(third));
}
CudaError cudaGraphGetNodes(const Graph* graph, GraphNode** nodes, std::size_t* count) {
    std::vector<GraphNode*> all;
    for (const auto& node : graph->nodes) { all.push_back(node.get()); }
    return list(all, nodes, count);
}
CudaError cudaGraphGetRootNodes(const Graph* graph, GraphNode** nodes, std::size_t* count) {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph->nodes) {
        if (node->after.empty()) { roots.push_back(node.get()); }
    }
    return list(roots, nodes, count);
}
CudaError cudaGraphNodeGetType(const GraphNode* node, int* kind) {
    *kind = static_cast<int>(node->kind);
    return kSuccess;
}

/// CUDA 11 has buffers for messages instead of flags.
CudaError cudaGraphInstantiate(ExecutableGraph** executable, const Graph* graph, std::uint64_t flags, void*,
                               std::size_t) {
    return instantiate(executable, graph, kRuntimeMajor >= 12 ? flags : 0);
}
CudaError cudaGraphInstantiateWithFlags(ExecutableGraph** executable, const Graph* graph, std::uint64_t flags) {
    return instantiate(executable, graph, flags);
}
CudaError cudaGraphInstantiateWithParams(ExecutableGraph** executable, const Graph* graph, InstantiateParameters* how) {
    constexpr unsigned kUnordered = 2;  // cudaGraphInstantiateInvalidStructure
    const CudaError error = instantiate(executable, graph, how == nullptr ? 0 : how->flags);
    if (how != nullptr) { how->result = error == kSuccess ? 0 : kUnordered; }
    return error;
}
LOOKAHEAD_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)
CudaError cudaGraphLaunch(const ExecutableGraph* executable, void* stream) {
    if (executable == nullptr) { return remember(kInvalidValue); }
    return submit(stream, NodeKind::graph, [copy = *executable] { return run(copy); });
}
LOOKAHEAD_PER_THREAD(cudaGraphLaunch, _ptsz)
CudaError cudaGraphExecDestroy(ExecutableGraph* executable) {
    delete executable;
    return kSuccess;
}
CudaError cudaGraphExecKernelNodeSetParams(ExecutableGraph* executable, const GraphNode* node,
                                           const KernelNodeParameters* parameters) {
    CudaError error = kSuccess;
    Work work = launch_work(*parameters, error);
    return error == kSuccess ? set_work(executable, node, std::move(work)) : error;
}
CudaError cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParameters* parameters) {
    CudaError error = kSuccess;
    Work work = launch_work(*parameters, error);
    return error == kSuccess ? set_work(node, NodeKind::kernel, std::move(work)) : error;
}
CudaError cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3d* box) {
    return set_work(node, NodeKind::copy, [copy = *box] { return copy_box_now(copy); });
}
CudaError cudaGraphMemcpyNodeSetParams1D(GraphNode* node, void* to, const void* from, std::size_t bytes, int kind) {
    return set_work(node, NodeKind::copy, copy_work(to, from, bytes, kind));
}
CudaError cudaGraphMemsetNodeSetParams(GraphNode* node, const FillNodeParameters* fill) {
    return set_work(node, NodeKind::fill, fill_work(*fill));
}
CudaError cudaGraphHostNodeSetParams(GraphNode* node, const HostNodeParameters* host) {
    return set_work(node, NodeKind::host, host_work(*host));
}
CudaError cudaGraphExecHostNodeSetParams(ExecutableGraph* executable, const GraphNode* node,
                                         const HostNodeParameters* host) {
    return set_work(executable, node, host_work(*host));
}
CudaError cudaGraphExecMemcpyNodeSetParams(ExecutableGraph* executable, const GraphNode* node, const Copy3d* box) {
    return set_work(executable, node, [copy = *box] { return copy_box_now(copy); });
}
CudaError cudaGraphExecMemcpyNodeSetParams1D(ExecutableGraph* executable, const GraphNode* node, void* to,
                                             const void* from, std::size_t bytes, int kind) {
    return set_work(executable, node, copy_work(to, from, bytes, kind));
}
CudaError cudaGraphExecMemsetNodeSetParams(ExecutableGraph* executable, const GraphNode* node,
                                           const FillNodeParameters* fill) {
    return set_work(executable, node, fill_work(*fill));
}
/// The other graph must have as many nodes, as in CUDA.
CudaError cudaGraphExecUpdate(ExecutableGraph* executable, const Graph* graph, int* result) {
    constexpr int kTopologyChanged = 2;
    constexpr auto kUpdateFailure = static_cast<CudaError>(910);
    const std::vector<GraphNode*> order = graph->ordered();
    const bool fits = order.size() == executable->steps.size();
    if (result != nullptr && kRuntimeMajor >= 12) { *result = fits ? 0 : kTopologyChanged; }
    if (!fits) { return remember(kUpdateFailure); }
    for (std::size_t i = 0; i < order.size(); ++i) { executable->steps[i].second = order[i]->work; }
    return kSuccess;
}

}  // extern "C"
