#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/frontend/cudart/runtime/streams.h"

namespace lookahead::cudart {

/// Memory that a node of a graph allocates. As in CUDA, its address is fixed when the node is made; the program may use
/// it from the launch of that node until it is freed: by a node of this or another graph, or outside of graphs.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
  public:
    GraphMemory(std::uint64_t address, std::size_t bytes);
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;
    /// Returns the memory to the device; it can no longer be used.
    ~GraphMemory();

    /// The memory at the address, or nullptr.
    static std::shared_ptr<GraphMemory> find(const void* pointer);

    std::uint64_t address() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    bool is_allocated() const { return allocated_; }
    /// The actions of the nodes. allocate() returns an error if the memory is already allocated, free() if it is not.
    CudaError allocate();
    CudaError free();

  private:
    std::uint64_t address_;
    std::size_t bytes_;
    bool allocated_ = false;
};

/// Adds a node that allocates `bytes` bytes; it reuses memory that the graph has freed before this node, if there is
/// any that fits. On success `node->memory` is the memory.
CudaError add_allocation(GraphNode*& node, Graph& graph, const std::vector<GraphNode*>& after, std::size_t bytes);
/// Adds a node that frees the memory at `pointer`, which a node has allocated.
CudaError add_free(GraphNode*& node, Graph& graph, const std::vector<GraphNode*>& after, const void* pointer);

}  // namespace lookahead::cudart
