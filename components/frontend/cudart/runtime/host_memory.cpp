// Managed and pinned memory. The host sees it at the device's own addresses, where the program maps the file with the
// device's memory. `lookahead capture` finds and records what host and kernels write (host_pages.h there).
#include "components/frontend/cudart/runtime/host_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/graph_memory.h"
#include "components/isa/address_space.h"

namespace lookahead::cudart {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kDeviceEnd = isa::kConstantBase + isa::kConstantBytes;

std::recursive_mutex host_memory_mutex;

/// By device address.
auto& blocks() {
    static auto* const table = new std::map<std::uint64_t, HostBlock>;
    return *table;
}

/// Reserves the device's address range, without access, once.
bool map_device() {
    static const bool mapped = [] {
        void* const wanted = reinterpret_cast<void*>(isa::kGlobalBase);
        void* const got = mmap(wanted, kDeviceEnd - isa::kGlobalBase, PROT_NONE,
                               MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, Connection::get().memory(), 0);
        return got == wanted;
    }();
    return mapped;
}

CudaError allocate(void** pointer, std::size_t bytes, Visibility visibility, unsigned flags) {
    if (pointer == nullptr) { return remember(kInvalidValue); }
    *pointer = nullptr;
    if (bytes == 0) { return visibility == Visibility::managed ? remember(kInvalidValue) : kSuccess; }
    const Reply reply = Connection::get().call(
        {.operation = Operation::allocate, .value = static_cast<std::uint32_t>(visibility), .bytes = bytes});
    if (reply.error != kSuccess) { return error_of(reply); }
    const std::lock_guard lock(host_memory_mutex);
    if (!make_visible(reply.address, bytes)) { return remember(kMemoryAllocation); }
    blocks()[reply.address].is_managed = visibility == Visibility::managed;
    blocks()[reply.address].flags = flags;
    blocks()[reply.address].allocation = reply.address;
    *pointer = reinterpret_cast<void*>(reply.address);
    return kSuccess;
}

/// Releases an allocation, and its host block if it has one.
CudaError release_block(void* pointer) {
    const CudaError error = release_allocation(address_of(pointer));
    const std::lock_guard lock(host_memory_mutex);
    if (error == kSuccess) { blocks().erase(address_of(pointer)); }
    return error;
}

HostBlock* find(std::uint64_t address) {
    auto above = blocks().upper_bound(address);
    if (above != blocks().begin()) {
        HostBlock& below = std::prev(above)->second;
        if (address - below.address < below.bytes) { return &below; }
    }
    for (auto& [begin, block] : blocks()) {
        if (block.registered != nullptr && address - address_of(block.registered) < block.bytes) { return &block; }
    }
    return nullptr;
}

/// The whole pages around a range.
struct Pages {
    std::uint64_t begin, bytes;
    Pages(std::uint64_t address, std::uint64_t size)
        : begin(address / kPage * kPage), bytes((address + size + kPage - 1) / kPage * kPage - begin) {}
    void* pointer() const { return reinterpret_cast<void*>(begin); }
};

/// Maps the pages of the program's memory to `file` at `offset`, or back to its own memory, and keeps their contents.
/// They may hold parts of the heap, so nothing may be allocated meanwhile.
bool remap(const Pages& pages, int file, std::uint64_t offset) {
    const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* const copy = mmap(nullptr, pages.bytes, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
    if (copy == MAP_FAILED) { return false; }
    std::memcpy(copy, pages.pointer(), pages.bytes);
    return mremap(copy, pages.bytes, pages.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages.pointer()) != MAP_FAILED;
}

}  // namespace

CudaError release_allocation(std::uint64_t address) {
    return error_of(Connection::get().call({.operation = Operation::release, .address = address}));
}

bool is_on_device(const void* address) {
    return address_of(address) >= isa::kGlobalBase && address_of(address) < kDeviceEnd;
}

const HostBlock* host_block(const void* address) {
    const std::lock_guard lock(host_memory_mutex);
    return find(address_of(address));
}

bool make_visible(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard lock(host_memory_mutex);
    const Pages pages(address, bytes);
    if (!map_device() || mprotect(pages.pointer(), pages.bytes, PROT_READ | PROT_WRITE) != 0) { return false; }
    blocks()[address] = {.address = address, .bytes = bytes, .is_managed = true};
    return true;
}

void share_with_kernels(std::uint64_t address) {
    Connection::get().call({.operation = Operation::share, .address = address});
}

}  // namespace lookahead::cudart

using namespace lookahead;
using namespace lookahead::cudart;

extern "C" {

CudaError cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
    return allocate(pointer, bytes, Visibility::managed, 0);
}
CudaError cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    return allocate(pointer, bytes, Visibility::pinned, flags);
}
CudaError cudaMallocHost(void** pointer, std::size_t bytes) {
    return allocate(pointer, bytes, Visibility::pinned, 0);
}
CudaError cudaFree(void* pointer) {
    if (pointer == nullptr) { return kSuccess; }
    if (const auto memory = GraphMemory::find(pointer)) { return memory->free(); }
    const HostBlock* const block = host_block(pointer);
    return block != nullptr && !block->is_managed ? remember(kInvalidValue) : release_block(pointer);
}
CudaError cudaFreeHost(void* pointer) {
    if (pointer == nullptr) { return kSuccess; }
    const HostBlock* const block = host_block(pointer);
    if (block == nullptr || block->is_managed || block->registered != nullptr ||
        block->address != address_of(pointer)) {
        return remember(kInvalidValue);
    }
    return release_block(pointer);
}

/// Makes the program's pages part of the device's memory, at another address there.
CudaError cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    if (pointer == nullptr || bytes == 0) { return remember(kInvalidValue); }
    if (host_block(pointer) != nullptr) { return remember(kHostMemoryAlreadyRegistered); }
    const Pages pages(address_of(pointer), bytes);
    const Reply reply = Connection::get().call({.operation = Operation::allocate,
                                                .value = static_cast<std::uint32_t>(Visibility::pinned),
                                                .bytes = pages.bytes + kPage});
    if (reply.error != kSuccess) { return error_of(reply); }
    const std::uint64_t there = (reply.address + kPage - 1) / kPage * kPage;
    const std::lock_guard lock(host_memory_mutex);
    if (!make_visible(reply.address, pages.bytes + kPage) ||
        !remap(pages, Connection::get().memory(), there - isa::kGlobalBase)) {
        return remember(kMemoryAllocation);
    }
    blocks().erase(reply.address);
    const std::uint64_t address = there + (address_of(pointer) - pages.begin);
    blocks()[address] = {.address = address,
                         .bytes = bytes,
                         .is_managed = false,
                         .flags = flags,
                         .registered = pointer,
                         .allocation = reply.address};
    return kSuccess;
}
CudaError cudaHostUnregister(void* pointer) {
    const std::lock_guard lock(host_memory_mutex);
    const HostBlock* const found = find(address_of(pointer));
    if (found == nullptr || found->registered != pointer) { return remember(kHostMemoryNotRegistered); }
    const HostBlock block = *found;
    if (!remap(Pages(address_of(pointer), block.bytes), -1, 0)) { return remember(kInvalidValue); }
    blocks().erase(block.address);
    return release_allocation(block.allocation);
}
CudaError cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    const HostBlock* const block = host_block(host);
    if (device == nullptr || block == nullptr) { return remember(kInvalidValue); }
    share_with_kernels(block->allocation);
    const std::uint64_t begin = block->registered != nullptr ? address_of(block->registered) : block->address;
    *device = reinterpret_cast<void*>(block->address + (address_of(host) - begin));
    return kSuccess;
}
CudaError cudaHostGetFlags(unsigned* flags, void* host) {
    const HostBlock* const block = host_block(host);
    if (block == nullptr || block->is_managed) { return remember(kInvalidValue); }
    *flags = block->flags;
    return kSuccess;
}

/// cudaPointerAttributes without its reserved words, which came with CUDA 13 and are not written.
struct PointerAttributes {
    int type, device;
    void* on_device;
    void* on_host;
};
CudaError cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
    enum Type { kUnregistered, kHost, kDevice, kManaged };
    if (attributes == nullptr) { return remember(kInvalidValue); }
    const HostBlock* const block = host_block(pointer);
    void* const address = const_cast<void*>(pointer);
    if (block == nullptr) {
        const bool on_device = is_on_device(pointer);
        *attributes = {on_device ? kDevice : kUnregistered, on_device ? 0 : -2, on_device ? address : nullptr,
                       on_device ? nullptr : address};
        return kSuccess;
    }
    *attributes = {block->is_managed ? kManaged : kHost, 0, address, address};
    return block->registered != nullptr ? cudaHostGetDevicePointer(&attributes->on_device, address, 0) : kSuccess;
}

/// Hints about the location of managed memory, without effect on results. Their arguments differ between CUDA 12 and
/// 13.
CudaError cudaMemPrefetchAsync(const void* pointer, std::size_t) {
    const HostBlock* const block = host_block(pointer);
    return block != nullptr && block->is_managed ? kSuccess : remember(kInvalidValue);
}
LOOKAHEAD_PER_THREAD(cudaMemPrefetchAsync, _ptsz)
LOOKAHEAD_SECOND_NAME(cudaMemPrefetchAsync, cudaMemAdvise)
CudaError cudaStreamAttachMemAsync(void*, void* pointer, std::size_t, unsigned) {
    return cudaMemPrefetchAsync(pointer, 0);
}
LOOKAHEAD_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)

}  // extern "C"
