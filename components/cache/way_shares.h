#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/cache/l1_parameters.h"
#include "components/protocols/memory.h"

namespace lookahead::gpu {

/// The ways of each L1 set that a client may take: prefetches may have their own ways (l1d.prefetch_ways), fills under
/// way their own tags (l1d.pending_ways), and shared memory a part of the array (l1d.shared_sizes).
class WayShares {
  public:
    explicit WayShares(const L1Parameters& parameters)
        : prefetches_(parameters.prefetch_ways == 0 ? kAll : kAll << parameters.ways),
          others_(parameters.prefetch_ways == 0 ? kAll : ~prefetches_),
          lines_of_set_(parameters.pending_ways == 0 ? 0 : static_cast<unsigned>(parameters.ways)),
          ways_(static_cast<unsigned>(parameters.ways)),
          way_bytes_(static_cast<std::uint32_t>(parameters.sets * kLineBytes)),
          shared_sizes_(parameters.sizes_of_shared_memory()) {}

    /// One bit per way of a set; bits beyond the set's ways may be set too.
    std::uint64_t of(Client client) const { return client == Client::prefetch ? prefetches_ : others_; }
    /// The ways open to the same clients as this way of a set.
    std::uint64_t beside(unsigned way) const { return (prefetches_ >> way & 1) != 0 ? prefetches_ : others_; }
    /// If fills under way have their own tags, the number of lines of a set that may hold bytes; else 0.
    unsigned lines_of_set() const { return lines_of_set_; }

    /// Sets the bytes of shared memory of the kernel that begins. Call it while the cache is empty, or before its state
    /// is loaded.
    void leave_to_shared_memory(std::uint32_t bytes) {
        if (shared_sizes_.empty()) { return; }
        const std::uint32_t size = *std::ranges::lower_bound(shared_sizes_, bytes);
        const unsigned left = ways_ - (size + way_bytes_ - 1) / way_bytes_;
        if (lines_of_set_ != 0) {
            lines_of_set_ = left;
            return;
        }
        const bool prefetches_have_others = prefetches_ != others_;
        others_ = kAll >> (64 - left);
        prefetches_ = prefetches_have_others ? prefetches_ : others_;
    }
    /// The most bytes that shared memory may have.
    std::uint32_t most_shared_memory() const {
        return shared_sizes_.empty() ? ~std::uint32_t{0} : shared_sizes_.back();
    }

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    std::uint64_t prefetches_;
    std::uint64_t others_;
    unsigned lines_of_set_;
    unsigned ways_;
    std::uint32_t way_bytes_;                  // of one way in all sets
    std::vector<std::uint32_t> shared_sizes_;  // ascending; empty: shared memory has its own array
};

}  // namespace lookahead::gpu
