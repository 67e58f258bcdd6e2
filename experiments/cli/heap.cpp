#include "experiments/cli/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <thread>

namespace lookahead::cli {

namespace {

constexpr int kMebibyte = 1024 * 1024;
/// What the heap grows by. Pages that nobody touches are none.
constexpr int kStep = 64 * kMebibyte;
/// Blocks from here on get pages of their own, which they give back.
constexpr int kLargeBlock = 16 * kMebibyte;
constexpr std::uintptr_t kLargePage = 2 * kMebibyte;  // x86-64
/// The least that a run on gtx480 takes (histogram, small).
constexpr std::size_t kUsual = 12 * kMebibyte;

std::uintptr_t large_pages = 0;  ///< address of the heap's first one

}  // namespace

void prepare_heap() {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_TOP_PAD, kStep);
    mallopt(M_TRIM_THRESHOLD, 1024 * kMebibyte);
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
    // A block that the heap has no room for yet makes it grow.
    void* block = std::malloc(kLargeBlock - kMebibyte);
    const auto first = (reinterpret_cast<std::uintptr_t>(block) + kLargePage - 1) / kLargePage * kLargePage;
    std::free(block);
    // Other allocators' blocks, as a sanitizer's, are somewhere else.
    const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
    if (block != nullptr && first < end && end - first <= std::uintptr_t{2 * kStep})
        large_pages = madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE) == 0 ? first : 0;
}

void take_pages_beforehand() {
#ifdef MADV_POPULATE_WRITE
    if (large_pages != 0) {
        std::thread([] { madvise(reinterpret_cast<void*>(large_pages), kUsual, MADV_POPULATE_WRITE); }).detach();
    }
#endif
}

}  // namespace lookahead::cli
