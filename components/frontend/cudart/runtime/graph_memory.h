#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/frontend/cudart/runtime/streams.h"

namespace lookahead::cudart {

/// Memory that a node of a graph allocates. Its address is the node's own from the beginning, as in CUDA; the program may
/// use it from the launch of that node until it is freed: by a node of this or another graph, or outside of graphs.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
  public:
    GraphMemory(std::uint64_t address, std::size_t bytes);
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;
    /// Nobody can use it any more: the device gets it back.
    ~GraphMemory();

    /// The memory at the address, or nullptr.
    static std::shared_ptr<GraphMemory> find(const void* pointer);

    std::uint64_t address() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    bool is_allocated() const { return allocated_; }
    /// What the nodes do. Memory that is allocated cannot be allocated again, nor can other memory be freed.
    CudaError allocate();
    CudaError free();

  private:
    std::uint64_t address_;
    std::size_t bytes_;
    bool allocated_ = false;
};

/// A node that allocates: in the memory of one that was freed before it in the graph, if there is any. On success
/// `node->memory` is where.
CudaError add_allocation(GraphNode*& node, Graph& graph, const std::vector<GraphNode*>& after, std::size_t bytes);
/// A node that frees such memory.
CudaError add_free(GraphNode*& node, Graph& graph, const std::vector<GraphNode*>& after, const void* pointer);

}  // namespace lookahead::cudart
