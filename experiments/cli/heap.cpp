#include "experiments/cli/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace lookahead::cli {

namespace {

constexpr int kMebibyte = 1024 * 1024;
/// What the heap grows by. Pages that nobody touches are none.
constexpr int kStep = 64 * kMebibyte;
/// Blocks from here on get pages of their own, which they give back.
constexpr int kLargeBlock = 16 * kMebibyte;
constexpr std::uintptr_t kLargePage = 2 * kMebibyte;  // x86-64

}  // namespace

void prepare_heap() {
    mallopt(M_ARENA_MAX, 1);
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
        madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace lookahead::cli
