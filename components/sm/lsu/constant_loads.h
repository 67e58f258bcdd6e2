#pragma once

#include "components/sm/constant/constant_cache.h"
#include "components/sm/lsu/load_table.h"
#include "components/sm/lsu/queue_head.h"
#include "components/sm/lsu/request_arbiter.h"

namespace lookahead::gpu {

/// Loads of .const variables, which pass through the constant cache: one word a cycle, for all lanes that ask for it.
class ConstantLoads {
  public:
    /// `cache` is null, or not enabled, where L1D serves these loads. The references outlive this.
    ConstantLoads(ConstantCache* cache, LoadTable& loads, RequestArbiter& arbiter, LsuCounters& counters)
        : cache_(cache != nullptr && cache->enabled() ? cache : nullptr),
          loads_(loads),
          arbiter_(arbiter),
          counters_(counters) {}

    /// Generic addresses have no window for .const variables: their accesses go to L1D.
    bool serve(const isa::Instruction& instruction) const {
        return cache_ != nullptr && instruction.space == isa::Space::constant;
    }
    Cycle hit_latency() const { return cache_ != nullptr ? cache_->hit_latency() : 0; }
    /// One pass: the lanes that ask for the word of the lowest one that is left. True: no lane is left.
    bool perform(QueuedInstruction& entry, QueueHead& head, Cycle now);
    /// The reader's line has come, which may be another cache's. True: loads waited for it.
    bool fill(std::uint32_t reader, const std::byte* data, Cycle now);

  private:
    /// From the line that the cache accessed last.
    void write(std::uint32_t load, isa::LaneMask lanes) {
        loads_.write_part(load, lanes, cache_->bytes(), ConstantCache::kBytes);
    }

    ConstantCache* cache_;
    LoadTable& loads_;
    RequestArbiter& arbiter_;
    LsuCounters& counters_;
};

}  // namespace lookahead::gpu
