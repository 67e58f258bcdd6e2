#pragma once

#include <cstdint>
#include <vector>

#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Fences in the order of their acceptance, each with a number that it waits for: at most one a context.
class FenceQueue {
  public:
    struct Entry {
        std::uint64_t number;
        std::uint16_t context;
    };

    explicit FenceQueue(unsigned contexts) : entries_(contexts) {}

    bool empty() const { return size_ == 0; }
    const Entry& front() const { return entries_[head_]; }
    void push(const Entry& entry) {
        entries_[(head_ + size_) % entries_.size()] = entry;
        ++size_;
    }
    void pop() {
        head_ = (head_ + 1) % entries_.size();
        --size_;
    }

    void fields(StateArchive& archive) {
        archive& head_& size_;
        for (Entry& each : entries_) {
            archive& each.number& each.context;
        }
    }

  private:
    std::uint64_t head_ = 0;
    std::uint64_t size_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace lookahead::gpu
