// Nodes of graphs that allocate and free memory.
#include "components/frontend/cudart/runtime/graph_memory.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

/// Protects the tables and counts below.
std::recursive_mutex graph_memory_mutex;

/// All memory of graphs by address. Never destroyed: programs call CUDA until their very end.
auto& known() {
    static auto* const table = new std::unordered_map<std::uint64_t, GraphMemory*>;
    return *table;
}
/// Memory that is allocated now; it stays even if its graph is destroyed.
auto& allocated() {
    static auto* const table = new std::unordered_map<std::uint64_t, std::shared_ptr<GraphMemory>>;
    return *table;
}

/// Memory that graphs have allocated and kept since the last cudaDeviceGraphMemTrim.
struct Usage {
    std::uint64_t now = 0, kept = 0, most = 0;
} usage;

enum Attribute { kUsedNow, kUsedMost, kReservedNow, kReservedMost };

/// cudaMemAllocNodeParams.
struct AllocationParameters {
    std::byte pool[88];
    const void* accesses;
    std::size_t accesses_count, bytes;
    void* pointer;
};
static_assert(sizeof(AllocationParameters) == 120);

/// The given nodes and all their predecessors.
std::unordered_set<const GraphNode*> all_before(const std::vector<GraphNode*>& nodes) {
    std::unordered_set<const GraphNode*> found;
    std::vector<const GraphNode*> open(nodes.begin(), nodes.end());
    while (!open.empty()) {
        const GraphNode* const node = open.back();
        open.pop_back();
        if (!found.insert(node).second) { continue; }
        open.insert(open.end(), node->after.begin(), node->after.end());
    }
    return found;
}

/// Memory that is freed before a node with these dependencies, and that no other node has taken since.
std::shared_ptr<GraphMemory> freed_before(const Graph& graph, const std::vector<GraphNode*>& after, std::size_t bytes) {
    const auto before = all_before(after);
    for (const auto& node : graph.nodes) {
        if (node->kind != NodeKind::free || !before.contains(node.get()) || node->memory->bytes() < bytes) { continue; }
        const auto earlier = all_before({node.get()});
        const bool taken = std::ranges::any_of(graph.nodes, [&](const auto& other) {
            return other->memory == node->memory && !earlier.contains(other.get());
        });
        if (!taken) { return node->memory; }
    }
    return nullptr;
}

bool is_memory_node(const GraphNode* node, NodeKind kind) {
    return node != nullptr && node->kind == kind;
}

}  // namespace

GraphMemory::GraphMemory(std::uint64_t address, std::size_t bytes) : address_(address), bytes_(bytes) {
    const std::lock_guard lock(graph_memory_mutex);
    known().emplace(address, this);
}

GraphMemory::~GraphMemory() {
    {
        const std::lock_guard lock(graph_memory_mutex);
        known().erase(address_);
    }
    release_allocation(address_);
}

std::shared_ptr<GraphMemory> GraphMemory::find(const void* pointer) {
    const std::lock_guard lock(graph_memory_mutex);
    const auto found = known().find(address_of(pointer));
    return found == known().end() ? nullptr : found->second->weak_from_this().lock();
}

CudaError GraphMemory::allocate() {
    const std::lock_guard lock(graph_memory_mutex);
    if (allocated_) { return remember(kInvalidValue); }
    allocated_ = true;
    allocated().emplace(address_, shared_from_this());
    usage.now += bytes_;
    usage.kept = std::max(usage.kept, usage.now);
    usage.most = std::max(usage.most, usage.kept);
    return kSuccess;
}

CudaError GraphMemory::free() {
    std::shared_ptr<GraphMemory> last_user;  // outlives the lock
    const std::lock_guard lock(graph_memory_mutex);
    if (!allocated_) { return remember(kInvalidValue); }
    allocated_ = false;
    usage.now -= bytes_;
    last_user = std::move(allocated().at(address_));
    allocated().erase(address_);
    return kSuccess;
}

CudaError add_allocation(GraphNode*& node, Graph& graph, const std::vector<GraphNode*>& after, std::size_t bytes) {
    if (bytes == 0) { return remember(kInvalidValue); }
    std::shared_ptr<GraphMemory> memory = freed_before(graph, after, bytes);
    if (memory == nullptr) {
        const Reply reply = Connection::get().call({.operation = Operation::allocate, .bytes = bytes});
        if (reply.error != kSuccess) { return error_of(reply); }
        memory = std::make_shared<GraphMemory>(reply.address, bytes);
    }
    node = graph.add(
        NodeKind::allocate, [memory] { return memory->allocate(); }, after);
    node->memory = std::move(memory);
    return kSuccess;
}

CudaError add_free(GraphNode*& node, Graph& graph, const std::vector<GraphNode*>& after, const void* pointer) {
    std::shared_ptr<GraphMemory> memory = GraphMemory::find(pointer);
    if (memory == nullptr) { return remember(kInvalidValue); }
    node = graph.add(
        NodeKind::free, [memory] { return memory->free(); }, after);
    node->memory = std::move(memory);
    return kSuccess;
}

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                   AllocationParameters* parameters) {
    if (node == nullptr || graph == nullptr || parameters == nullptr || (after == nullptr && count != 0)) {
        return remember(kInvalidValue);
    }
    const CudaError error = add_allocation(*node, *graph, {after, after + count}, parameters->bytes);
    if (error == kSuccess) { parameters->pointer = reinterpret_cast<void*>((*node)->memory->address()); }
    return error;
}
CudaError cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                  void* pointer) {
    if (node == nullptr || graph == nullptr || (after == nullptr && count != 0)) { return remember(kInvalidValue); }
    return add_free(*node, *graph, {after, after + count}, pointer);
}
CudaError cudaGraphMemAllocNodeGetParams(const GraphNode* node, AllocationParameters* parameters) {
    if (!is_memory_node(node, NodeKind::allocate) || parameters == nullptr) { return remember(kInvalidValue); }
    constexpr int kPinnedOnDevice[] = {1, 0, 1, 0};  // allocation type, handle types, location's type, device
    *parameters = {};
    std::memcpy(parameters->pool, kPinnedOnDevice, sizeof kPinnedOnDevice);
    parameters->bytes = node->memory->bytes();
    parameters->pointer = reinterpret_cast<void*>(node->memory->address());
    return kSuccess;
}
CudaError cudaGraphMemFreeNodeGetParams(const GraphNode* node, void** pointer) {
    if (!is_memory_node(node, NodeKind::free) || pointer == nullptr) { return remember(kInvalidValue); }
    *pointer = reinterpret_cast<void*>(node->memory->address());
    return kSuccess;
}

CudaError cudaDeviceGetGraphMemAttribute(int device, int attribute, std::uint64_t* value) {
    if (value == nullptr || attribute < kUsedNow || attribute > kReservedMost) { return remember(kInvalidValue); }
    if (device != 0) { return remember(kInvalidDevice); }
    *value = attribute == kUsedMost || attribute == kReservedMost ? usage.most : usage.kept;
    return kSuccess;
}
/// Only the high marks may be set, to zero.
CudaError cudaDeviceSetGraphMemAttribute(int device, int attribute, const std::uint64_t* value) {
    if (value == nullptr || *value != 0 || (attribute != kUsedMost && attribute != kReservedMost)) {
        return remember(kInvalidValue);
    }
    if (device != 0) { return remember(kInvalidDevice); }
    usage.most = 0;
    return kSuccess;
}
CudaError cudaDeviceGraphMemTrim(int device) {
    if (device != 0) { return remember(kInvalidDevice); }
    usage.kept = usage.now;
    return kSuccess;
}

}  // extern "C"
