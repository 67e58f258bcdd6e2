// The device side of CUDA's malloc and free, which `new` and `delete` in kernels call, too. A block is of the least power
// of two that holds it and its header; a freed one goes into the list of its size, from which the next of that size is
// taken. The heads of the lists count their changes, so that an exchange fails where a block was taken and came back in
// between. What is exhausted is never given back to another size.
//
// regenerate makes heap.ptx of this file.

namespace {

// CUDA's own heap has 8 MiB unless the program asks for another size (cudaLimitMallocHeapSize). This one always has as
// much as few programs ask for, an estimate; memory that is not used costs nothing.
constexpr unsigned kHeapBytes = 128u << 20;
constexpr unsigned kHeaderBytes = 16;  // keeps the alignment of 16 bytes that CUDA promises
constexpr unsigned kLeastBytes = 32;
constexpr unsigned kSizes = 23;  // 32 bytes to 128 MiB

struct Header {
    volatile unsigned size;  // number of its list
    volatile unsigned next;  // free block after this one, in units of 16 bytes; 0: none
};

using Head = unsigned long long;  // changes so far in the high half, the first free block in the low one

__device__ __forceinline__ Head changed(Head head, unsigned first) {
    return (((head >> 32) + 1) << 32) | first;
}

}  // namespace

extern "C" __device__ Head lookahead_heap_used = 0;
extern "C" __device__ Head lookahead_heap_free[kSizes] = {};
extern "C" __device__ uint4 lookahead_heap_storage[kHeapBytes / 16] = {};

extern "C" __device__ void* lookahead_malloc(unsigned long long bytes) {
    if (bytes == 0 || bytes > kHeapBytes - kHeaderBytes) return nullptr;
    const unsigned needed = static_cast<unsigned>(bytes) + kHeaderBytes;
    const unsigned size = needed <= kLeastBytes ? 0 : 32 - __clz(needed - 1) - 5;
    Head* const list = &lookahead_heap_free[size];
    for (Head head = *reinterpret_cast<volatile Head*>(list); static_cast<unsigned>(head) != 0;) {
        Header* const block = reinterpret_cast<Header*>(&lookahead_heap_storage[static_cast<unsigned>(head)]);
        const Head seen = atomicCAS(list, head, changed(head, block->next));
        if (seen == head) return reinterpret_cast<char*>(block) + kHeaderBytes;
        head = seen;
    }
    // The first bytes stay unused: 0 is no block's number.
    const Head begin = kLeastBytes + atomicAdd(&lookahead_heap_used, static_cast<Head>(kLeastBytes) << size);
    if (begin + (static_cast<Head>(kLeastBytes) << size) > kHeapBytes) {
        atomicAdd(&lookahead_heap_used, 0 - (static_cast<Head>(kLeastBytes) << size));
        return nullptr;
    }
    Header* const block = reinterpret_cast<Header*>(&lookahead_heap_storage[begin / 16]);
    block->size = size;
    return reinterpret_cast<char*>(block) + kHeaderBytes;
}

extern "C" __device__ void lookahead_free(void* memory) {
    if (memory == nullptr) return;
    Header* const block = reinterpret_cast<Header*>(static_cast<char*>(memory) - kHeaderBytes);
    const auto place = static_cast<unsigned>((reinterpret_cast<uint4*>(block) - lookahead_heap_storage));
    Head* const list = &lookahead_heap_free[block->size];
    Head head = *reinterpret_cast<volatile Head*>(list);
    while (true) {
        block->next = static_cast<unsigned>(head);
        __threadfence();
        const Head seen = atomicCAS(list, head, changed(head, place));
        if (seen == head) return;
        head = seen;
    }
}
