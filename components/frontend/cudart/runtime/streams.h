#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "components/frontend/cudart/protocol.h"

namespace lookahead::cudart {

using Work = std::function<CudaError()>;

/// cudaGraphNodeType's numbers.
enum class NodeKind : int {
    kernel = 0,
    copy = 1,
    fill = 2,
    host = 3,
    graph = 4,
    empty = 5,
    wait = 6,
    record = 7,
    allocate = 10,
    free = 11
};

struct GraphNode {
    NodeKind kind = NodeKind::empty;
    Work work{};  ///< empty: nothing to do
    std::vector<GraphNode*> after{};
    struct Graph* graph = nullptr;                ///< the graph that it belongs to
    const GraphNode* copy_of = nullptr;           ///< in a clone: the original node
    std::shared_ptr<class GraphMemory> memory{};  ///< the memory that it allocates or frees
};

/// Nodes in an order that respects their edges when they were added; `ordered` respects later edges too.
struct Graph {
    std::vector<std::unique_ptr<GraphNode>> nodes{};

    GraphNode* add(NodeKind kind, Work work, std::vector<GraphNode*> after);
    /// The nodes, each after its predecessors; empty if there is a cycle.
    std::vector<GraphNode*> ordered() const;
};

/// Streams that are being captured into one graph.
struct StreamCapture {
    Graph* graph;  ///< nullptr when the capture has ended: the graph then belongs to the program
    std::uint64_t id = 0;
};

struct Stream {
    unsigned flags = 0;
    int priority = 0;
    std::uint64_t id = 0;
    std::shared_ptr<StreamCapture> capture{};  ///< null: work runs at once
    bool is_origin = false;
    std::vector<GraphNode*> last{};  ///< the predecessors of the stream's next node

    /// Whether the stream is captured. A stream that joined a capture leaves it when the capture has ended.
    bool is_captured() {
        if (capture != nullptr && capture->graph == nullptr) { capture.reset(); }
        return capture != nullptr;
    }
};

/// Whether the handle is that of an existing stream, as nullptr and the two handles of the default stream are.
bool is_stream(void* handle);
/// The stream of such a handle.
Stream& stream_of(void* handle);

/// Does the work now, or makes it a node of the graph into which the stream is captured.
CudaError submit(void* stream, NodeKind kind, Work work);

/// Calls the function when the device has done all earlier work; does not wait for the function.
CudaError call_on_host(std::function<void()> function);

/// Waits for a stream; cudaErrorStreamCaptureUnsupported if it is captured.
CudaError synchronise(void* stream);
CudaError synchronise_device();
/// Returns `error`; if there is none, waits for the device and returns the error of that.
CudaError and_wait(CudaError error);

}  // namespace lookahead::cudart
