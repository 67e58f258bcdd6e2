// Requests that leave, replies that come, and what completes by them.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/memory_order.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

void CoalescingUnit::receive(const MessageHeader& message, Cycle now) {
    if (message.type == AllocationUpdate::kType) {
        allocations_.update(message.as<AllocationUpdate>());
    } else {
        memory_->receive(message, now);
    }
}

[[gnu::hot]] void CoalescingUnit::take_reply(const MessageHeader& reply, Cycle now) {
    switch (static_cast<GpuMessage>(reply.type)) {
        case GpuMessage::read_reply:
            ++arbiter_.traffic().read_replies;
            if (reply.as<ReadReply>().client == Client::texture) {
                samples_.came(reply.as<ReadReply>().sample, now, now);
                return texture_.receive(reply.as<ReadReply>());
            }
            if ((reply.as<ReadReply>().tag & LineRequests::kTag) != 0) {
                return line_came(reply.as<ReadReply>(), now);
            }
            samples_.came(reply.as<ReadReply>().sample, now, now + fill_latency_);
            if (is_private(reply.as<ReadReply>().line)) [[unlikely]] {
                return fill_private(reply.as<ReadReply>(), now);
            }
            l1_.fill(reply.as<ReadReply>(), reply.as<ReadReply>().data(),
                     [&](const Waiter& waiter, const std::byte* line) {
                         loads_.write(waiter, line);
                         loads_.data_came(LoadTable::load_of(waiter), now);
                     });
            break;
        case GpuMessage::write_acknowledge:
            ++arbiter_.traffic().acknowledgements;
            if (reply.as<WriteAcknowledge>().tag == kWriteBackTag) {
                order_.end_write_back();
            } else {
                order_.end_store(reply.as<WriteAcknowledge>().tag, now);
            }
            break;
        case GpuMessage::atomic_reply:
            ++arbiter_.traffic().atomic_replies;
            loads_.write_atomics(reply.as<AtomicReply>());
            loads_.data_came(reply.as<AtomicReply>().tag, now);
            break;
        default:
            LOOKAHEAD_ASSERT(false, "a message of type " + std::to_string(reply.type) + " came as a reply of memory");
    }
}

/// A line for the instruction or the constant cache.
void CoalescingUnit::line_came(const ReadReply& reply, Cycle now) {
    const std::uint32_t reader = arbiter_.line_came(reply);
    Cycle fill_latency = 0;  // of warps that fetch or issue again
    if (constants_ != nullptr && (reader & ConstantCache::kReader) != 0) {
        ++counters_.constant_fills;
        constants_->fill(reader, reply.data(), [&](const ConstantCache::Waiter& waiter) {
            serve_constant(waiter.token, waiter.lanes);
            loads_.data_came(waiter.token, now);
            fill_latency = fill_latency_;
        });
    }
    samples_.came(reply.sample, now, now + fill_latency);
    listener_.line_came(reader, now);
}

/// From the line that the constant cache accessed last.
void CoalescingUnit::serve_constant(std::uint32_t load, isa::LaneMask lanes) {
    loads_.write_part(load, lanes, constants_->bytes(), ConstantCache::kBytes);
}

[[gnu::hot]] void CoalescingUnit::complete(std::uint32_t item, Cycle now) {
    wake();
    if (item < loads_.size()) {
        complete_load(item, now);
    } else {
        complete_fence(static_cast<std::uint16_t>(item - loads_.size()), now);
    }
}

[[gnu::hot]] void CoalescingUnit::complete_load(std::uint32_t load, Cycle now) {
    const PendingLoad& pending = loads_[load];
    if (pending.kind == LoadKind::element) [[unlikely]] {
        return complete_element(load, now);
    }
    const isa::Instruction& instruction = *pending.instruction;
    end_load(pending, now);
    loads_.release(load);
    if (pending.token != 0) [[unlikely]] {
        return listener_.extension_completed(pending.token, instruction, now);
    }
    listener_.memory_completed(pending.context, instruction, now);
}

inline void CoalescingUnit::end_load(const PendingLoad& load, Cycle now) {
    ++counters_.completed_loads;
    counters_.load_cycles += static_cast<std::uint64_t>(now - load.begun);
    if (load.kind == LoadKind::acquire && LOOKAHEAD_RULE(acquire_starts_generation) &&
        lsu::leaves_sm(*load.instruction)) {
        l1_.start_generation();
    }
    order_.end_load(load.context, load.kind == LoadKind::acquire, load.epoch, now);
}

/// The first element's entry outlives it, until the last one completes.
void CoalescingUnit::complete_element(std::uint32_t load, Cycle now) {
    const PendingLoad pending = loads_[load];
    const bool last = --loads_[pending.first].elements_left == 0;
    if (last) {
        end_load(loads_[pending.first], now);
        loads_.release(pending.first);
    }
    if (load != pending.first) {
        loads_.release(load);
    }
    if (pending.token == 0) {
        return listener_.element_completed(pending.context, *pending.instruction, pending.element, last, now);
    }
    if (last) {
        listener_.extension_completed(pending.token, *pending.instruction, now);
    }
}

void CoalescingUnit::complete_fence(std::uint16_t context, Cycle now) {
    const isa::Instruction& instruction = order_.complete_fence(context);
    if (LOOKAHEAD_RULE(fence_starts_generation) && lsu::leaves_sm(instruction)) {
        l1_.start_generation();
    }
    listener_.memory_completed(context, instruction, now);
}

}  // namespace lookahead::gpu
