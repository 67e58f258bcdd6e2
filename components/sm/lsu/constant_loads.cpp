#include "components/sm/lsu/constant_loads.h"

#include <bit>

#include "components/sm/lsu/lane_data.h"

namespace lookahead::gpu {

bool ConstantLoads::perform(QueuedInstruction& entry, QueueHead& head, Cycle now) {
    const std::uint64_t address = entry.memory.addresses[std::countr_zero(entry.global)];
    const isa::LaneMask lanes = lanes_in_word(entry.memory.addresses, address) & entry.global;
    PendingLoad& pending = loads_[head.load];
    switch (cache_->load(address & ~std::uint64_t{ConstantCache::kBytes - 1}, {head.load, lanes},
                         arbiter_.can_request_line())) {
        case ConstantCache::Answer::refused:
            return head.block(LsuStall::constant_cache, now);
        case ConstantCache::Answer::hit:
            write(head.load, lanes);
            break;
        case ConstantCache::Answer::missed: {
            const ConstantCache::Request request = cache_->request();
            arbiter_.request_line(request.line, request.sectors, request.reader, now);
            ++pending.outstanding;
            break;
        }
        case ConstantCache::Answer::merged:
            ++pending.outstanding;
            break;
    }
    pending.not_before(now + cache_->hit_latency());
    ++counters_.constant_passes;
    entry.global &= ~lanes;
    counters_.constant_loads += entry.global == 0;
    return entry.global == 0;
}

bool ConstantLoads::fill(std::uint32_t reader, const std::byte* data, Cycle now) {
    bool served = false;
    if (cache_ != nullptr && (reader & ConstantCache::kReader) != 0) {
        ++counters_.constant_fills;
        cache_->fill(reader, data, [&](const ConstantCache::Waiter& waiter) {
            write(waiter.token, waiter.lanes);
            loads_.data_came(waiter.token, now);
            served = true;
        });
    }
    return served;
}

}  // namespace lookahead::gpu
