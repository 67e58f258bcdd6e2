#pragma once

#include "components/sm/constant/constant_cache.h"
#include "components/sm/lsu/load_table.h"
#include "components/sm/lsu/queue_head.h"
#include "components/sm/lsu/request_arbiter.h"

namespace lookahead::gpu {

/// Loads of .const variables through the constant cache: one word per cycle, for all lanes that ask for it.
class ConstantLoads {
  public:
    /// `cache` is null or disabled if L1D serves these loads. The references must outlive this object.
    ConstantLoads(ConstantCache* cache, LoadTable& loads, RequestArbiter& arbiter, LsuCounters& counters)
        : cache_(cache != nullptr && cache->enabled() ? cache : nullptr),
          loads_(loads),
          arbiter_(arbiter),
          counters_(counters) {}

    /// Whether the cache serves the instruction. L1D serves generic ones, which have no window for .const variables.
    bool serve(const isa::Instruction& instruction) const {
        return cache_ != nullptr && instruction.space == isa::Space::constant;
    }
    Cycle hit_latency() const { return cache_ != nullptr ? cache_->hit_latency() : 0; }
    /// Makes one pass for the lanes that read the word of the lowest remaining lane. Returns true if no lane is left.
    bool perform(QueuedInstruction& entry, QueueHead& head, Cycle now);
    /// Takes the line for `reader`, which may be another cache's. Returns true if loads waited for it.
    bool fill(std::uint32_t reader, const std::byte* data, Cycle now);

  private:
    /// Writes from the line that the cache accessed last.
    void write(std::uint32_t load, isa::LaneMask lanes) {
        loads_.write_part(load, lanes, cache_->bytes(), ConstantCache::kBytes);
    }

    ConstantCache* cache_;
    LoadTable& loads_;
    RequestArbiter& arbiter_;
    LsuCounters& counters_;
};

}  // namespace lookahead::gpu
