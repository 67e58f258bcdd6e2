// Requests that leave, replies that come, and what completes by them.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/memory_order.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

/// They go before L1D's: they are few, and whole warps wait for each.
void CoalescingUnit::send_line_request(Cycle now) {
    if (memory_->can_send(now)) {
        memory_->send(GpuMessage::read_request, reinterpret_cast<const std::byte*>(&lines_.front()),
                      sizeof(ReadRequest), now);
        note_read(lines_.front(), now);
        lines_.sent();
        if (head_.blocked && head_.cause == kStall + static_cast<unsigned>(LsuStall::constant_cache)) { wake(); }
    }
}

[[gnu::hot]] void CoalescingUnit::send_l1_request(Cycle now) {
    send(l1_.miss_queue().front(), now);
    l1_.miss_queue().pop();
    wake();
}

void CoalescingUnit::send(const QueuedRequest& request, Cycle now) {
    note_sent(request, now);
    memory_->send(request.type, request.payload, request.bytes, now);
    texture_first_ = true;
}

/// The oldest request of L1's miss queue enters the path; then the path, or the texture unit, sends one.
void CoalescingUnit::send_through_path(Cycle now) {
    MissQueue& requests = l1_.miss_queue();
    if (requests.advance(now)) { wake(); }
    if (requests.next_departure(now) == now && path_->can_take(requests.front())) {
        path_->take(requests.front(), now);
        requests.pop();
        wake();
    }
    if (!lines_.empty()) { return send_line_request(now); }
    const QueuedRequest* request = path_->next(now, draining());
    const bool texture = texture_.request() != nullptr;
    if ((request == nullptr && !texture) || !memory_->can_send(now)) { return; }
    if (texture && (texture_first_ || request == nullptr)) { return send_texture_request(now); }
    send(*request, now);
    path_->sent(now);
}

/// Least cycle > `now` in which a request enters the path or leaves; `others`: one of another cache waits to leave.
Cycle CoalescingUnit::next_departure_through_path(Cycle now, bool others) const {
    const MissQueue& requests = l1_.miss_queue();
    const Cycle leaves = others ? now + 1 : path_->next_event(now, draining());
    const Cycle sends = leaves == kCycleInfinity ? leaves : std::max(leaves, memory_->next_send(now));
    const bool enters = !requests.empty() && path_->can_take(requests.front());
    return enters ? std::min(sends, requests.next_departure(now + 1)) : sends;
}

void CoalescingUnit::send_texture_request(Cycle now) {
    note_read(*texture_.request(), now);
    memory_->send(GpuMessage::read_request, reinterpret_cast<const std::byte*>(texture_.request()), sizeof(ReadRequest),
                  now);
    texture_.sent();
    texture_first_ = false;
}

void CoalescingUnit::note_read(const ReadRequest& request, Cycle now) {
    ++traffic_.reads;
    if (request.sample != 0) { samples_.sent(request.sample, now); }
}

void CoalescingUnit::note_came(const ReadReply& reply, Cycle now, Cycle fill_latency) {
    if (reply.sample != 0) { samples_.came(reply.sample, now, now + fill_latency); }
}

void CoalescingUnit::note_sent(const QueuedRequest& request, Cycle now) {
    if (request.type == GpuMessage::read_request) {
        note_read(*reinterpret_cast<const ReadRequest*>(request.payload), now);
    } else if (request.type == GpuMessage::write_request) {
        const auto& write = *reinterpret_cast<const WriteRequest*>(request.payload);
        ++traffic_.writes;
        traffic_.written_bytes += count_of(write.mask);
        stores_ += write.tag == kWriteBackTag;
    } else {
        const auto& atomic = *reinterpret_cast<const AtomicRequest*>(request.payload);
        ++(atomic.returns_value != 0 ? traffic_.atomics : traffic_.writes);
        traffic_.written_bytes += atomic.lanes * isa::type_bytes(atomic.type);
    }
}

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
            ++traffic_.read_replies;
            if (reply.as<ReadReply>().client == Client::texture) {
                note_came(reply.as<ReadReply>(), now, 0);
                return texture_.receive(reply.as<ReadReply>());
            }
            if ((reply.as<ReadReply>().tag & LineRequests::kTag) != 0) { return line_came(reply.as<ReadReply>(), now); }
            note_came(reply.as<ReadReply>(), now, fill_latency_);
            if (is_private(reply.as<ReadReply>().line)) [[unlikely]] {
                return fill_private(reply.as<ReadReply>(), now);
            }
            l1_.fill(reply.as<ReadReply>(), reply.as<ReadReply>().data(),
                     [&](const Waiter& waiter, const std::byte* line) {
                         serve(waiter, line);
                         data_came(load_of(waiter), now);
                     });
            break;
        case GpuMessage::write_acknowledge:
            ++traffic_.acknowledgements;
            --stores_;
            if (reply.as<WriteAcknowledge>().tag == kWriteBackTag) { break; }
            if (counts_stores_) { --contexts_[(reply.as<WriteAcknowledge>().tag >> 16) - 1].stores; }
            end_access(static_cast<std::uint16_t>(reply.as<WriteAcknowledge>().tag), now);
            break;
        case GpuMessage::atomic_reply:
            ++traffic_.atomic_replies;
            take_atomic_values(reply);
            data_came(reply.as<AtomicReply>().tag, now);
            break;
        default:
            LOOKAHEAD_ASSERT(false, "a message of type " + std::to_string(reply.type) + " came as a reply of memory");
    }
}

/// A line for the instruction or the constant cache.
void CoalescingUnit::line_came(const ReadReply& reply, Cycle now) {
    const std::uint32_t reader = lines_.came(reply);
    Cycle fill_latency = 0;  // of warps that fetch or issue again
    if (constants_ != nullptr && (reader & ConstantCache::kReader) != 0) {
        ++counters_.constant_fills;
        constants_->fill(reader, reply.data(), [&](const ConstantCache::Waiter& waiter) {
            serve_constant(waiter.token, waiter.lanes);
            data_came(waiter.token, now);
            fill_latency = fill_latency_;
        });
    }
    note_came(reply, now, fill_latency);
    listener_.line_came(reader, now);
}

/// From the line that the constant cache accessed last.
void CoalescingUnit::serve_constant(std::uint32_t load, isa::LaneMask lanes) {
    const PendingLoad& pending = loads_[load];
    const Rows rows = rows_of(*pending.instruction, pending.destination_rows);
    write_lanes(
        *pending.instruction, lanes, constants_->bytes(),
        [&](unsigned lane) { return pending.offsets[lane] % ConstantCache::kBytes; }, rows.data());
}

/// Data of one access of a load stand in the registers.
[[gnu::hot]] void CoalescingUnit::data_came(std::uint32_t load, Cycle now) {
    PendingLoad& pending = loads_[load];
    --pending.outstanding;
    pending.ready = std::max(pending.ready, now + fill_latency_);
    if (pending.outstanding == 0 && !pending.issuing) {
        completions_.schedule(now - 1, pending.ready, load);  // before this cycle's are taken
    }
}

void CoalescingUnit::serve(const Waiter& waiter, const std::byte* line) {
    if (waiter.token >= kLowerHalf) [[unlikely]] { return serve_half(waiter, line); }
    const PendingLoad& pending = loads_[load_of(waiter)];
    const isa::Instruction& shape = pending.shape();
    const Rows rows = rows_of(shape, pending.destination_rows);
    if (waiter.lanes == isa::kFullMask && is_plain_word(shape) && is_whole_line(pending.offsets)) {
        std::memcpy(rows[0], line, kLineBytes);
        return;
    }
    write_lanes(
        shape, waiter.lanes, line, [&](unsigned lane) { return pending.offsets[lane]; }, rows.data());
}

/// A lane of two sectors has sixteen words.
void CoalescingUnit::serve_half(const Waiter& waiter, const std::byte* line) {
    constexpr unsigned kWords = kSectorBytes / 4;
    const PendingLoad& pending = loads_[load_of(waiter)];
    const unsigned first = (waiter.token & kUpperHalf) != 0 ? kWords : 0;
    for (unsigned word = first; word < first + kWords; ++word) {
        std::uint32_t* row = registers_.row(pending.destination_rows[word]);
        for (isa::LaneMask left = waiter.lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            std::memcpy(&row[lane], line + pending.offsets[lane] + 4 * word, sizeof row[lane]);
        }
    }
}

void CoalescingUnit::take_atomic_values(const MessageHeader& reply) {
    const auto& head = reply.as<AtomicReply>();
    const auto* values = reinterpret_cast<const AtomicValue*>(&head + 1);
    const PendingLoad& pending = loads_[head.tag];
    const Rows rows = rows_of(*pending.instruction, pending.destination_rows);
    for (unsigned i = 0; i < head.lanes; ++i) {
        isa::write_loaded(*pending.instruction, static_cast<unsigned>(values[i].lane),
                          reinterpret_cast<const std::byte*>(&values[i].value), rows.data());
    }
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
    if (pending.kind == LoadKind::element) [[unlikely]] { return complete_element(load, now); }
    const isa::Instruction& instruction = *pending.instruction;
    end_load(pending, now);
    loads_.release(load);
    if (pending.token != 0) [[unlikely]] { return listener_.extension_completed(pending.token, instruction, now); }
    listener_.memory_completed(pending.context, instruction, now);
}

inline void CoalescingUnit::end_load(const PendingLoad& load, Cycle now) {
    ContextAccount& account = contexts_[load.context];
    --account.loads;
    ++counters_.completed_loads;
    counters_.load_cycles += static_cast<std::uint64_t>(now - load.begun);
    if (load.kind == LoadKind::acquire) {
        --account.acquires;
        if (LOOKAHEAD_RULE(acquire_starts_generation) && lsu::leaves_sm(*load.instruction)) { l1_.start_generation(); }
    }
    end_access(load.epoch, now);
    end_cta_fence_if_due(load.context, now);
}

/// The first element's entry outlives it, until the last one completes.
void CoalescingUnit::complete_element(std::uint32_t load, Cycle now) {
    const PendingLoad pending = loads_[load];
    const bool last = --loads_[pending.first].elements_left == 0;
    if (last) {
        end_load(loads_[pending.first], now);
        loads_.release(pending.first);
    }
    if (load != pending.first) { loads_.release(load); }
    if (pending.token == 0) {
        return listener_.element_completed(pending.context, *pending.instruction, pending.element, last, now);
    }
    if (last) { listener_.extension_completed(pending.token, *pending.instruction, now); }
}

void CoalescingUnit::complete_fence(std::uint16_t context, Cycle now) {
    ContextAccount& account = contexts_[context];
    const isa::Instruction& instruction = *account.fence;
    account.fence = nullptr;
    if (LOOKAHEAD_RULE(fence_starts_generation) && lsu::leaves_sm(instruction)) { l1_.start_generation(); }
    listener_.memory_completed(context, instruction, now);
}

}  // namespace lookahead::gpu
