#include "core/heap/heap.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace lookahead {

namespace {

constexpr std::size_t kMebibyte = 1024 * 1024;
/// What the heap grows by. Pages that nobody touches are none.
constexpr std::size_t kStep = 64 * kMebibyte;
/// Blocks from here on get pages of their own, which they give back.
constexpr std::size_t kLargeBlock = 16 * kMebibyte;
constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kLargePage = 2 * kMebibyte;  // x86-64
/// The least that a run on gtx480 takes (histogram, small).
constexpr std::size_t kUsual = 12 * kMebibyte;

std::uintptr_t new_pages = 0;  ///< address of the heap's first page of which nothing is in use, if it has large ones

std::uintptr_t round_up(std::uintptr_t address, std::uintptr_t page) {
    return (address + page - 1) / page * page;
}

}  // namespace

void prepare_heap(int parts) {
    mallopt(M_ARENA_MAX, parts);
    mallopt(M_TOP_PAD, kStep);
    mallopt(M_TRIM_THRESHOLD, 16 * kStep);
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
    // A block that the heap just has no room for makes it grow. The large pages begin after what the C library writes
    // behind that block: where a small page is in use there will be no large one.
    const std::size_t size = mallinfo2().keepcost + kPage;
    void* block = std::malloc(size);
    const auto used = reinterpret_cast<std::uintptr_t>(block) + size + kPage;
    const std::uintptr_t first = round_up(used, kLargePage);
    std::free(block);
    // Other allocators' blocks, as a sanitizer's, are somewhere else.
    const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
    if (block != nullptr && first < end && end - first <= std::uintptr_t{2 * kStep})
        new_pages =
            madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE) == 0 ? round_up(used, kPage) : 0;
}

void take_pages_beforehand() {
#ifdef MADV_POPULATE_WRITE
    if (new_pages != 0) {
        // Not a std::thread, which frees a block at its end and so would get the part of the heap that is another's.
        const auto take = [](void*) -> void* {
            madvise(reinterpret_cast<void*>(new_pages), kUsual, MADV_POPULATE_WRITE);
            return nullptr;
        };
        pthread_t thread{};
        if (pthread_create(&thread, nullptr, take, nullptr) == 0) {
            pthread_detach(thread);
        }
    }
#endif
}

void prepare_thread_heap(std::size_t bytes) {
    void* block = std::malloc(bytes);
    const std::uintptr_t begin = round_up(reinterpret_cast<std::uintptr_t>(block), kPage);
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(block) + bytes) / kPage * kPage;
    if (block != nullptr && begin < end) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
        // The heap's own first page keeps its neighbours small.
        const std::uintptr_t small = std::min(round_up(begin, kLargePage), end) - begin;
        madvise(reinterpret_cast<void*>(begin), small, MADV_POPULATE_WRITE);
#endif
    }
    std::free(block);
}

}  // namespace lookahead
