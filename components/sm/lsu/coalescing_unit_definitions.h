#pragma once

// Definitions of BasicCoalescingUnit, for coalescing_unit.cpp and for mutation tests.

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "components/isa/address_space.h"
#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/memory_fault.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {

namespace lsu {

constexpr bool is_acquire(const isa::Instruction& instruction) {
    return instruction.order == isa::Order::acquire || instruction.order == isa::Order::acq_rel ||
           instruction.order == isa::Order::sc;
}
constexpr bool is_release(const isa::Instruction& instruction) {
    return instruction.order == isa::Order::release || instruction.order == isa::Order::acq_rel ||
           instruction.order == isa::Order::sc;
}
/// Scope cta is the SM's own; everything else reaches beyond it.
constexpr bool leaves_sm(const isa::Instruction& instruction) {
    return instruction.scope != isa::Scope::cta;
}
constexpr bool has_result(const isa::Instruction& instruction) {
    return instruction.operation == isa::Operation::load || instruction.operation == isa::Operation::atomic;
}

inline std::unique_ptr<ReplacementPolicy> make_replacement(const Configuration& configuration,
                                                           const L1Parameters& parameters) {
    return make_variant<ReplacementPolicy>(
        configuration.variant("l1d.replacement", "lru"), configuration,
        ReplacementArguments{static_cast<unsigned>(parameters.sets),
                             static_cast<unsigned>(parameters.ways + parameters.prefetch_ways)});
}

/// That the lanes access in the line.
inline ByteMask bytes_of_lanes(const MemoryInstruction& memory, std::uint64_t line, isa::LaneMask lanes) {
    const unsigned width = isa::lane_bytes(*memory.instruction);
    ByteMask mask;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t first = memory.addresses[static_cast<unsigned>(std::countr_zero(left))] - line;
        mask.bits[first / 64] |= ((std::uint64_t{1} << width) - 1) << (first % 64);
    }
    return mask;
}

}  // namespace lsu

template <class Contract>
BasicCoalescingUnit<Contract>::BasicCoalescingUnit(const CoalescingParameters& parameters, LoadStoreArguments arguments)
    : name_(arguments.name),
      hit_latency_(arguments.configuration.read<L1Parameters>("l1d").hit_latency),
      fill_latency_(arguments.configuration.read<L1Parameters>("l1d").fill_latency),
      registers_(arguments.registers),
      listener_(arguments.listener),
      memory_(std::move(arguments.memory)),
      l1_(arguments.configuration.read<L1Parameters>("l1d"),
          lsu::make_replacement(arguments.configuration, arguments.configuration.read<L1Parameters>("l1d"))),
      shared_(arguments.configuration.read<SharedMemoryParameters>("shared_memory"), arguments.shared_bytes),
      texture_(arguments.configuration.template read<TextureParameters>("texture"), arguments.name, arguments.registers,
               arguments.listener, allocations_),
      constants_(arguments.constants != nullptr && arguments.constants->enabled() ? arguments.constants : nullptr),
      queue_(static_cast<unsigned>(parameters.queue)),
      loads_(static_cast<unsigned>(parameters.pending_loads)),
      contexts_(arguments.contexts),
      epochs_(arguments.contexts),
      fences_behind_queue_(arguments.contexts),
      fences_behind_epochs_(arguments.contexts),
      completions_(loads_.size() + arguments.contexts,
                   std::max({hit_latency_, fill_latency_, shared_.latency(),
                             constants_ != nullptr ? constants_->hit_latency() : Cycle{0}})),
      prefetches_(PrefetchUnit::make(arguments.configuration, arguments.name, arguments.contexts, l1_.tags(),
                                     allocations_, arguments.listener, arguments.kernels, arguments.loads)) {
    texture_.sample_into(samples_);
    if (prefetches_ != nullptr) {
        l1_.subscribe(*prefetches_);
    }
}

// ---- From the issue stage -------------------------------------------------------------------------------------------

template <class Contract>
void BasicCoalescingUnit<Contract>::accept(const MemoryInstruction& instruction, Cycle now) {
    LOOKAHEAD_DEBUG_ASSERT(can_accept() && instruction.active != 0, "the load/store unit cannot accept this");
    if (instruction.instruction->operation == isa::Operation::texture) {
        return texture_.accept(instruction, now);
    }
    ContextAccount& account = contexts_[instruction.context];
    LOOKAHEAD_ASSERT(account.fence == nullptr, "a memory instruction was issued past a fence of its own context");
    QueuedInstruction& entry = queue_.back_slot();
    InstructionQueue::copy(entry.memory, instruction);
    entry.accepted = now;
    entry.shared = 0;
    entry.global = 0;
    isa::LaneMask local = 0;
    switch (instruction.instruction->space) {
        case isa::Space::shared:
            entry.shared = instruction.active;
            break;
        case isa::Space::generic:
            local = split_generic(entry);
            break;
        case isa::Space::local:
            entry.global = local =
                instruction.pre_load ? local_lanes(entry.memory, instruction.active, 0) : instruction.active;
            translate_local(entry.memory, local, 0);
            break;
        default:
            entry.global = instruction.active;
            break;
    }
    if (instruction.active != isa::kFullMask) {
        fill_inactive(entry.memory.addresses, instruction.active);
    }
    if (instruction.pre_load) [[unlikely]] {
        entry.shared = 0;
        drop_unmapped(entry, local);
    } else {
        check(entry.memory, entry.global & ~local, entry.shared);
    }
    queue_.push();
    ++account.queued;
    ++accepted_;
    switch (instruction.instruction->operation) {
        case isa::Operation::load:
            ++(instruction.pre_load ? counters_.pre_loads : counters_.loads);
            break;
        case isa::Operation::store:
            ++counters_.stores;
            break;
        case isa::Operation::atomic:
            ++counters_.atomics;
            break;
        default:
            ++counters_.reductions;
            break;
    }
}

/// Lanes in the shared window go to shared memory, at the offset there; those in the local window, whose mask it gives,
/// to the memory behind local memory.
template <class Contract>
isa::LaneMask BasicCoalescingUnit<Contract>::split_generic(QueuedInstruction& entry) const {
    MemoryInstruction& memory = entry.memory;
    isa::LaneMask local = 0;
    for (isa::LaneMask left = memory.active; left != 0; left &= left - 1) {
        const auto lane = std::countr_zero(left);
        const std::uint64_t offset = memory.addresses[lane] - isa::kSharedWindowBase;
        if (offset < isa::kSharedWindowBytes) {
            memory.addresses[lane] = offset;
            entry.shared |= isa::LaneMask{1} << lane;
        } else if (memory.addresses[lane] - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
            local |= isa::LaneMask{1} << lane;
        }
    }
    entry.global = memory.active & ~entry.shared;
    if (memory.pre_load) [[unlikely]] {
        const isa::LaneMask outside = local & ~local_lanes(memory, local, isa::kLocalWindowBase);
        entry.global &= ~outside;
        local &= ~outside;
    }
    translate_local(memory, local, isa::kLocalWindowBase);
    return local;
}

/// Those of `lanes` whose word in local memory, which begins at `window`, the thread may access.
template <class Contract>
isa::LaneMask BasicCoalescingUnit<Contract>::local_lanes(const MemoryInstruction& memory, isa::LaneMask lanes,
                                                         std::uint64_t window) {
    const unsigned bytes = isa::lane_bytes(*memory.instruction);
    isa::LaneMask inside = 0;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t offset = memory.addresses[lane] - window;
        const bool fits = (offset & (bytes - 1)) == 0 && bytes <= 4 && offset + bytes <= memory.local_bytes;
        inside |= isa::LaneMask{fits && offset < memory.local_bytes} << lane;
    }
    return inside;
}

/// Of a pre-load the lanes go whose addresses are not allocated; `local` ones have been checked.
template <class Contract>
void BasicCoalescingUnit<Contract>::drop_unmapped(QueuedInstruction& entry, isa::LaneMask local) {
    const unsigned bytes = isa::lane_bytes(*entry.memory.instruction);
    for (isa::LaneMask left = entry.global & ~local; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t address = entry.memory.addresses[lane];
        if ((address & (bytes - 1)) != 0 || !allocations_.contains(address, address + bytes)) {
            entry.global &= ~(isa::LaneMask{1} << lane);
            ++counters_.pre_load_unmapped;
        }
    }
}

/// Addresses in the lanes' local memory, which begins at `window`, become those of the memory behind it. Local accesses are one word at most (finaliser): the words of a
/// thread do not lie side by side.
template <class Contract>
void BasicCoalescingUnit<Contract>::translate_local(MemoryInstruction& memory, isa::LaneMask lanes,
                                                    std::uint64_t window) {
    const isa::Instruction& instruction = *memory.instruction;
    const unsigned bytes = isa::lane_bytes(instruction);
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t address = memory.addresses[lane];
        const std::uint64_t offset = address - window;
        if ((offset & (bytes - 1)) != 0) {
            throw MemoryFault(instruction, lane, address,
                              "is not a multiple of the access's " + std::to_string(bytes) + " bytes");
        }
        if (offset >= memory.local_bytes || offset + bytes > memory.local_bytes) {
            throw MemoryFault(
                instruction, lane, address,
                "is outside the thread's local memory of " + std::to_string(memory.local_bytes) + " bytes");
        }
        if (bytes > 4) {
            throw MemoryFault(instruction, lane, address,
                              "is in local memory, where ordered accesses of more than a word are not supported");
        }
        memory.addresses[lane] = memory.local_base + isa::local_memory_offset(offset, lane);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::check(const MemoryInstruction& memory, isa::LaneMask global,
                                          isa::LaneMask shared) const {
    LOOKAHEAD_DEBUG_ASSERT(
        isa::is_memory(memory.instruction->operation) && isa::lane_bytes(*memory.instruction) <= 4 * kMaximumRows,
        "a memory instruction has four rows of data at most");
    if (global != 0) {
        check_global(memory, global);
    }
    if (shared != 0) {
        check_shared(memory, shared);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::check_global(const MemoryInstruction& memory, isa::LaneMask lanes) const {
    const isa::Instruction& instruction = *memory.instruction;
    const unsigned bytes = isa::lane_bytes(instruction);
    const AddressBlock block = block_of(memory.addresses, bytes);
    if ((block.low_bits & (bytes - 1)) == 0 && allocations_.contains(block.begin, block.end)) {
        return;
    }
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t address = memory.addresses[lane];
        if ((address & (bytes - 1)) != 0) {
            throw MemoryFault(instruction, lane, address,
                              "is not a multiple of the access's " + std::to_string(bytes) + " bytes");
        }
        if (!allocations_.contains(address, address + bytes)) {
            throw MemoryFault(instruction, lane, address, "is not in allocated global memory");
        }
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::check_shared(const MemoryInstruction& memory, isa::LaneMask lanes) const {
    const isa::Instruction& instruction = *memory.instruction;
    const unsigned bytes = isa::lane_bytes(instruction);
    const AddressBlock block = block_of(memory.addresses, bytes);
    if ((block.low_bits & (bytes - 1)) == 0 && block.begin < block.end && block.end <= memory.shared_bytes) {
        return;
    }
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t address = memory.addresses[lane];
        if ((address & (bytes - 1)) != 0) {
            throw MemoryFault(instruction, lane, address,
                              "is not a multiple of the access's " + std::to_string(bytes) + " bytes");
        }
        if (address >= memory.shared_bytes || address + bytes > memory.shared_bytes) {
            throw MemoryFault(
                instruction, lane, address,
                "is outside the CTA's shared memory of " + std::to_string(memory.shared_bytes) + " bytes");
        }
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::accept_fence(std::uint16_t context, const isa::Instruction& instruction,
                                                 Cycle now) {
    ContextAccount& account = contexts_[context];
    LOOKAHEAD_ASSERT(account.fence == nullptr, "a fence was issued past a fence of its own context");
    account.fence = &instruction;
    account.fence_ends = false;
    ++counters_.fences;
    if (!lsu::leaves_sm(instruction)) {
        end_cta_fence_if_due(context, now);
        return;
    }
    if (!Contract::fence_starts_generation_at_its_end) {
        l1_.start_generation();
    }
    fences_behind_queue_.push({Contract::fence_covers_queued_accesses ? accepted_ : performed_, context});
    close_fences();
    end_fences(now);
}

/// Fences behind which everything is performed close an epoch and wait for it.
template <class Contract>
void BasicCoalescingUnit<Contract>::close_fences() {
    while (!fences_behind_queue_.empty() && fences_behind_queue_.front().number <= performed_) {
        fences_behind_epochs_.push({epochs_.close(), fences_behind_queue_.front().context});
        fences_behind_queue_.pop();
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::end_fences(Cycle now) {
    while (!fences_behind_epochs_.empty() && epochs_.over(fences_behind_epochs_.front().number)) {
        end_fence(fences_behind_epochs_.front().context, now);
        fences_behind_epochs_.pop();
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::end_fence(std::uint16_t context, Cycle now) {
    contexts_[context].fence_ends = true;
    completions_.schedule(loads_.size() + context, now + 1);
}

/// At scope cta a fence waits for its own context alone.
template <class Contract>
void BasicCoalescingUnit<Contract>::end_cta_fence_if_due(std::uint16_t context, Cycle now) {
    const ContextAccount& account = contexts_[context];
    if (account.fence != nullptr && !account.fence_ends && !lsu::leaves_sm(*account.fence) && account.queued == 0 &&
        account.loads == 0) {
        end_fence(context, now);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::end_access(std::uint16_t epoch, Cycle now) {
    epochs_.end(epoch);
    end_fences(now);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::store_sent() {
    ++stores_;
    if constexpr (Contract::fence_waits_for_stores) {
        epochs_.begin(epochs_.current_tag());
    }
}

// ---- A cycle --------------------------------------------------------------------------------------------------------

template <class Contract>
void BasicCoalescingUnit<Contract>::cycle(Cycle now) {
    if (prefetches_ != nullptr) [[unlikely]] {
        prefetches_->begin_cycle(now);
    }
    take_replies(now);
    completions_.take(now, [&](std::uint32_t item) { complete(item, now); });
    if (!queue_.empty() && !head_.blocked && queue_.front().memory.ready <= now) {
        run_head(now);
    }
    if (prefetches_ != nullptr && !prefetches_->empty()) [[unlikely]] {
        run_prefetches(now);
    }
    if (!texture_.idle()) {
        texture_.cycle(now);
    }
    send_requests(now);
}

/// One prefetch, in a cycle in which no instruction accesses L1 or waits for something of it.
template <class Contract>
void BasicCoalescingUnit<Contract>::run_prefetches(Cycle now) {
    PrefetchRequest request;
    if (accessed_ == now || prefetch_blocked_ || !may_prefetch() || !prefetches_->next(request)) {
        return;
    }
    const L1Access access{.line = request.line, .pc = request.pc, .warp = request.context, .client = Client::prefetch};
    if (!l1_.has_room_beyond(prefetches_->spare_entries()) || l1_.load(access, {}).answer != L1Answer::miss) {
        prefetch_blocked_ = true;
        return;
    }
    prefetches_->pop();
}

template <class Contract>
Cycle BasicCoalescingUnit<Contract>::next_event(Cycle now) const {
    Cycle next = completions_.next_due(now);
    if (!queue_.empty() && !head_.blocked) {
        next = std::min(next, std::max({now + 1, head_.shared_until, queue_.front().memory.ready}));
    }
    if (!texture_.idle()) {
        next = std::min(next, texture_.next_event(now));
    }
    if (l1_.miss_queue().can_advance()) {
        next = std::min(next, now + 1);
    }
    const bool waiting = !lines_.empty() || texture_.request() != nullptr;
    const Cycle departure = waiting ? now + 1 : l1_.miss_queue().next_departure(now + 1);
    if (departure != kCycleInfinity) {
        next = std::min(next, std::max(departure, memory_->next_send(now)));
    }
    if (prefetches_ != nullptr && !prefetches_->empty() && !prefetch_blocked_ && may_prefetch()) [[unlikely]] {
        next = std::min(next, now + 1);
    }
    return std::min(next, memory_->next_reply_cycle(now));
}

/// They go before L1D's: they are few, and whole warps wait for each.
template <class Contract>
void BasicCoalescingUnit<Contract>::send_line_request(Cycle now) {
    if (memory_->can_send(now)) {
        memory_->send(GpuMessage::read_request, reinterpret_cast<const std::byte*>(&lines_.front()),
                      sizeof(ReadRequest), now);
        note_read(lines_.front(), now);
        lines_.sent();
        if (head_.blocked && head_.cause == kStall + static_cast<unsigned>(LsuStall::constant_cache)) {
            wake();
        }
    }
}

/// L1D and the texture unit take turns where both have a request.
template <class Contract>
void BasicCoalescingUnit<Contract>::send_requests(Cycle now) {
    MissQueue& requests = l1_.miss_queue();
    if (requests.advance(now)) {
        wake();
    }
    if (!lines_.empty()) {
        send_line_request(now);
        return;
    }
    const bool l1 = requests.next_departure(now) == now;
    const bool texture = texture_.request() != nullptr;
    if (!l1 && !texture) {
        return;
    }
    if (!memory_->can_send(now)) {
        return;
    }
    if (texture && (texture_first_ || !l1)) {
        send_texture_request(now);
    } else {
        send_l1_request(now);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::send_l1_request(Cycle now) {
    MissQueue& requests = l1_.miss_queue();
    const QueuedRequest& request = requests.front();
    note_sent(request, now);
    memory_->send(request.type, request.payload, request.bytes, now);
    requests.pop();
    texture_first_ = true;
    wake();
}

template <class Contract>
void BasicCoalescingUnit<Contract>::send_texture_request(Cycle now) {
    note_read(*texture_.request(), now);
    memory_->send(GpuMessage::read_request, reinterpret_cast<const std::byte*>(texture_.request()), sizeof(ReadRequest),
                  now);
    texture_.sent();
    texture_first_ = false;
}

template <class Contract>
void BasicCoalescingUnit<Contract>::note_read(const ReadRequest& request, Cycle now) {
    ++traffic_.reads;
    if (request.sample != 0) {
        samples_.sent(request.sample, now);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::note_came(const ReadReply& reply, Cycle now, Cycle fill_latency) {
    if (reply.sample != 0) {
        samples_.came(reply.sample, now, now + fill_latency);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::note_sent(const QueuedRequest& request, Cycle now) {
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

// ---- Replies and completions ----------------------------------------------------------------------------------------

template <class Contract>
void BasicCoalescingUnit<Contract>::receive(const MessageHeader& message, Cycle now) {
    if (message.type == AllocationUpdate::kType) {
        allocations_.update(message.as<AllocationUpdate>());
    } else {
        memory_->receive(message, now);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::take_replies(Cycle now) {
    while (const MessageHeader* reply = memory_->next_reply(now)) {
        take_reply(*reply, now);
        wake();
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::take_reply(const MessageHeader& reply, Cycle now) {
    switch (static_cast<GpuMessage>(reply.type)) {
        case GpuMessage::read_reply:
            ++traffic_.read_replies;
            if (reply.as<ReadReply>().client == Client::texture) {
                note_came(reply.as<ReadReply>(), now, 0);
                return texture_.receive(reply.as<ReadReply>());
            }
            if ((reply.as<ReadReply>().tag & LineRequests::kTag) != 0) {
                return line_came(reply.as<ReadReply>(), now);
            }
            note_came(reply.as<ReadReply>(), now, fill_latency_);
            l1_.fill(reply.as<ReadReply>(), reply.as<ReadReply>().data(),
                     [&](const Waiter& waiter, const std::byte* line) {
                         serve(waiter, line);
                         data_came(waiter.token, now);
                     });
            break;
        case GpuMessage::write_acknowledge:
            ++traffic_.acknowledgements;
            --stores_;
            if (reply.as<WriteAcknowledge>().tag == kWriteBackTag) {
                break;
            }
            if constexpr (Contract::fence_waits_for_stores) {
                end_access(static_cast<std::uint16_t>(reply.as<WriteAcknowledge>().tag), now);
            }
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
template <class Contract>
void BasicCoalescingUnit<Contract>::line_came(const ReadReply& reply, Cycle now) {
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
template <class Contract>
void BasicCoalescingUnit<Contract>::serve_constant(std::uint32_t load, isa::LaneMask lanes) {
    const PendingLoad& pending = loads_[load];
    const Rows rows = rows_of(*pending.instruction, pending.destination_rows);
    write_lanes(
        *pending.instruction, lanes, constants_->bytes(),
        [&](unsigned lane) { return pending.offsets[lane] % ConstantCache::kBytes; }, rows.data());
}

/// Data of one access of a load stand in the registers.
template <class Contract>
void BasicCoalescingUnit<Contract>::data_came(std::uint32_t load, Cycle now) {
    PendingLoad& pending = loads_[load];
    --pending.outstanding;
    pending.ready = std::max(pending.ready, now + fill_latency_);
    if (pending.outstanding == 0 && !pending.issuing) {
        completions_.schedule(load, pending.ready);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::serve(const Waiter& waiter, const std::byte* line) {
    const PendingLoad& pending = loads_[waiter.token];
    const Rows rows = rows_of(*pending.instruction, pending.destination_rows);
    if (waiter.lanes == isa::kFullMask && is_plain_word(*pending.instruction) && is_whole_line(pending.offsets)) {
        std::memcpy(rows[0], line, kLineBytes);
        return;
    }
    write_lanes(
        *pending.instruction, waiter.lanes, line, [&](unsigned lane) { return pending.offsets[lane]; }, rows.data());
}

template <class Contract>
void BasicCoalescingUnit<Contract>::take_atomic_values(const MessageHeader& reply) {
    const auto& head = reply.as<AtomicReply>();
    const auto* values = reinterpret_cast<const AtomicValue*>(&head + 1);
    const PendingLoad& pending = loads_[head.tag];
    const Rows rows = rows_of(*pending.instruction, pending.destination_rows);
    for (unsigned i = 0; i < head.lanes; ++i) {
        isa::write_loaded(*pending.instruction, static_cast<unsigned>(values[i].lane),
                          reinterpret_cast<const std::byte*>(&values[i].value), rows.data());
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::complete(std::uint32_t item, Cycle now) {
    wake();
    if (item < loads_.size()) {
        complete_load(item, now);
    } else {
        complete_fence(static_cast<std::uint16_t>(item - loads_.size()), now);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::complete_load(std::uint32_t load, Cycle now) {
    const PendingLoad& pending = loads_[load];
    const isa::Instruction& instruction = *pending.instruction;
    ContextAccount& account = contexts_[pending.context];
    --account.loads;
    ++counters_.completed_loads;
    counters_.load_cycles += static_cast<std::uint64_t>(now - pending.begun);
    if (pending.acquire) {
        --account.acquires;
        if (Contract::acquire_starts_generation && lsu::leaves_sm(instruction)) {
            l1_.start_generation();
        }
    }
    if constexpr (Contract::fence_waits_for_loads) {
        end_access(pending.epoch, now);
    }
    end_cta_fence_if_due(pending.context, now);
    loads_.release(load);
    if (pending.token != 0) [[unlikely]] {
        return listener_.extension_completed(pending.token, instruction, now);
    }
    listener_.memory_completed(pending.context, instruction, now);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::complete_fence(std::uint16_t context, Cycle now) {
    ContextAccount& account = contexts_[context];
    const isa::Instruction& instruction = *account.fence;
    account.fence = nullptr;
    if (Contract::fence_starts_generation_at_its_end && lsu::leaves_sm(instruction)) {
        l1_.start_generation();
    }
    listener_.memory_completed(context, instruction, now);
}

// ---- The oldest instruction -----------------------------------------------------------------------------------------

template <class Contract>
void BasicCoalescingUnit<Contract>::block(std::uint8_t cause, Cycle now) {
    head_.blocked = true;
    head_.cause = cause;
    head_.blocked_since = now;
}

/// Charges the cycles since the head last tried and failed; 0 if it did not.
template <class Contract>
void BasicCoalescingUnit<Contract>::charge_block(Cycle now) {
    if (head_.blocked_since == kNotCharging) {
        return;
    }
    const auto cycles = static_cast<std::uint64_t>(now - head_.blocked_since);
    head_.blocked_since = kNotCharging;
    if (head_.cause < kStall) {
        l1_.charge_failure(static_cast<ReservationFailure>(head_.cause), cycles);
    } else {
        counters_.stall_cycles[head_.cause - kStall] += cycles;
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::run_head(Cycle now) {
    QueuedInstruction& entry = queue_.front();
    charge_block(now);
    if (!head_.started && !start_head(entry, now)) {
        return;
    }
    const bool all_done = entry.shared != 0         ? perform_shared(entry, now)
                          : is_constant_load(entry) ? perform_constant(entry, now)
                                                    : perform_global(entry, now);
    if (all_done) {
        finish_head(entry, now);
    }
}

/// False if it must wait.
template <class Contract>
bool BasicCoalescingUnit<Contract>::start_head(QueuedInstruction& entry, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    ContextAccount& account = contexts_[memory.context];
    if (Contract::acquire_holds_younger_accesses && account.acquires != 0 && !memory.pre_load) {
        block(LsuStall::acquire, now);
        return false;
    }
    if (Contract::release_waits && lsu::is_release(instruction) && lsu::leaves_sm(instruction) &&
        epochs_.total() != 0) {
        block(LsuStall::release, now);
        return false;
    }
    if (lsu::has_result(instruction) && !memory.pre_load) {
        if (loads_.full()) {
            block(LsuStall::load_table_full, now);
            return false;
        }
        const bool acquire = lsu::is_acquire(instruction);
        head_.load = loads_.allocate();
        PendingLoad& pending = loads_[head_.load];
        pending.instruction = &instruction;
        pending.destination_rows = memory.destination_rows;
        pending.token = memory.token;
        pending.context = memory.context;
        pending.epoch = epochs_.current_tag();
        pending.issuing = true;
        pending.acquire = acquire;
        pending.begun = entry.accepted;
        line_offsets(memory.addresses, pending.offsets);
        ++account.loads;
        if constexpr (Contract::fence_waits_for_loads) {
            epochs_.begin(pending.epoch);
        }
        account.acquires += acquire;
    }
    head_.started = true;
    if (prefetches_ != nullptr && !memory.pre_load) [[unlikely]] {
        prefetches_->observe(entry);
    }
    return true;
}

/// Values move in the first cycle; the banks stay taken for the others. True when the instruction has no more to do.
template <class Contract>
bool BasicCoalescingUnit<Contract>::perform_shared(QueuedInstruction& entry, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    if (head_.shared_until == kNoShared) {
        const unsigned degree = shared_.conflict_degree(memory, entry.shared);
        const Rows rows =
            lsu::has_result(*memory.instruction) ? rows_of(*memory.instruction, memory.destination_rows) : Rows{};
        shared_.perform(memory, entry.shared, rows.data());
        head_.shared_until = now + degree - 1;
        ++counters_.shared_accesses;
        counters_.shared_conflict_cycles += degree - 1;
    }
    if (now < head_.shared_until) {
        return false;
    }
    if (lsu::has_result(*memory.instruction)) {
        PendingLoad& pending = loads_[head_.load];
        pending.ready = std::max(pending.ready, now + shared_.latency());
    }
    head_.shared_until = kNoShared;
    entry.shared = 0;
    return entry.global == 0;
}

/// One pass: the lanes that ask for the word of the lowest one that is left.
template <class Contract>
bool BasicCoalescingUnit<Contract>::perform_constant(QueuedInstruction& entry, Cycle now) {
    const std::uint64_t address = entry.memory.addresses[std::countr_zero(entry.global)];
    const isa::LaneMask lanes = lanes_in_word(entry.memory.addresses, address) & entry.global;
    PendingLoad& pending = loads_[head_.load];
    switch (
        constants_->load(address & ~std::uint64_t{ConstantCache::kBytes - 1}, {head_.load, lanes}, !lines_.full())) {
        case ConstantCache::Answer::refused:
            block(LsuStall::constant_cache, now);
            return false;
        case ConstantCache::Answer::hit:
            serve_constant(head_.load, lanes);
            break;
        case ConstantCache::Answer::missed: {
            const ConstantCache::Request request = constants_->request();
            request_line(request.line, request.sectors, request.reader, now);
            ++pending.outstanding;
            break;
        }
        case ConstantCache::Answer::merged:
            ++pending.outstanding;
            break;
    }
    pending.ready = std::max(pending.ready, now + constants_->hit_latency());
    ++counters_.constant_passes;
    entry.global &= ~lanes;
    counters_.constant_loads += entry.global == 0;
    return entry.global == 0;
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::perform_global(QueuedInstruction& entry, Cycle now) {
    if (entry.global == 0) [[unlikely]] {
        return true;  // a pre-load of which no lane is left
    }
    accessed_ = now;
    const auto first = std::countr_zero(entry.global);
    const std::uint64_t line = line_of(entry.memory.addresses[first]);
    const isa::LaneMask lanes = lanes_in_line(entry.memory.addresses, line) & entry.global;
    bool done = false;
    switch (entry.memory.instruction->operation) {
        case isa::Operation::load:
            if (entry.memory.pre_load) [[unlikely]] {
                done = pre_load_line(entry, line, lanes, now);
                break;
            }
            done = l1_.sectored() ? load_sectors(entry, line, lanes, now)
                                  : load_line(entry, line, kAllSectors, lanes, now);
            break;
        case isa::Operation::store:
            done = store_line(entry, line, lanes, now);
            break;
        default:
            done = atomic_line(entry, line, lanes, now);
            break;
    }
    if (done) {
        ++counters_.global_accesses;
        entry.global &= ~lanes;
    }
    return entry.global == 0;
}

/// Loads the sectors of a line in one cycle, in groups of those that are in one state. Those that are done are taken
/// from the instruction, should a later group have to wait.
template <class Contract>
bool BasicCoalescingUnit<Contract>::load_sectors(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
                                                 Cycle now) {
    const std::uint8_t* offsets = loads_[head_.load].offsets;
    const bool weak = entry.memory.instruction->order == isa::Order::weak || l1_.keeps_stores_to(line);
    while (lanes != 0) {
        SectorMask sectors = sectors_of_lanes(offsets, lanes);
        if (weak || !Contract::ordered_load_bypasses || !Contract::ordered_load_never_joins) {
            sectors = l1_.alike(line, sectors);
        }
        const isa::LaneMask group = lanes & lanes_in_sectors(offsets, sectors);
        if (!load_line(entry, line, sectors, group, now)) {
            return false;
        }
        entry.global &= ~group;
        lanes &= ~group;
    }
    return true;
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::load_line(QueuedInstruction& entry, std::uint64_t line, SectorMask sectors,
                                              isa::LaneMask lanes, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    L1Access access{
        .line = line, .pc = memory.pc, .warp = memory.context, .client = Client::demand, .sectors = sectors};
    ByteMask bytes;
    if (l1_.keeps_stores_to(line)) {
        bytes = lsu::bytes_of_lanes(memory, line, lanes);
        access.bytes = &bytes;
    }
    const Waiter waiter{.token = head_.load, .lanes = lanes};
    const L1LoadResult result =
        instruction.order == isa::Order::weak ? l1_.load(access, waiter) : l1_.load_ordered(access, waiter);
    if (result.answer == L1Answer::stall) {
        block(static_cast<std::uint8_t>(result.failure), now);
        return false;
    }
    PendingLoad& pending = loads_[head_.load];
    pending.ready = std::max(pending.ready, now + hit_latency_);
    if (result.answer == L1Answer::hit) {
        serve(waiter, result.data);
    } else {
        ++pending.outstanding;
        const auto source = line >= isa::kLocalMemoryBase ? MissSamples::Source::local : MissSamples::Source::global;
        if (result.answer == L1Answer::miss && samples_.due(source)) [[unlikely]] {
            reinterpret_cast<ReadRequest*>(l1_.miss_queue().last_payload())->sample = samples_.begin(source, now);
        }
    }
    return true;
}

/// It waits for a place in the miss queue, through which one request leaves a cycle; an access that finds no MSHR or no
/// line that can make room is dropped: demand loads behind it are not to wait for a hint as long as memory takes.
template <class Contract>
bool BasicCoalescingUnit<Contract>::pre_load_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
                                                  Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    SectorMask left = kAllSectors;
    if (l1_.sectored()) {
        alignas(32) std::uint8_t offsets[isa::kWarpSize];
        line_offsets(memory.addresses, offsets);
        left = sectors_of_lanes(offsets, lanes);
    }
    while (left != 0) {
        const SectorMask sectors = l1_.sectored() ? l1_.alike(line, left) : left;
        const L1LoadResult result = l1_.load(
            {.line = line, .pc = memory.pc, .warp = memory.context, .client = Client::pre_load, .sectors = sectors},
            {});
        if (result.answer == L1Answer::stall) {
            if (result.failure == ReservationFailure::miss_queue_full ||
                result.failure == ReservationFailure::write_back) {
                block(static_cast<std::uint8_t>(result.failure), now);
                return false;
            }
            ++counters_.pre_load_drops;
        }
        left &= static_cast<SectorMask>(~sectors);
    }
    return true;
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::store_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
                                               Cycle now) {
    const bool kept = l1_.keeps_stores_to(line);
    if (!kept && !l1_.can_write()) {
        block(static_cast<std::uint8_t>(ReservationFailure::miss_queue_full), now);
        return false;
    }
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    const auto offset = [&](unsigned lane) { return memory.addresses[lane] - line; };
    alignas(64) std::byte bytes[kLineBytes] = {};  // whole words travel: what is not stored must not be random
    ByteMask mask;
    if (lanes == isa::kFullMask && is_plain_word(instruction) && are_consecutive_words(memory.addresses)) {
        std::memcpy(bytes, memory.data[0], kLineBytes);
        mask.bits[0] = mask.bits[1] = ~std::uint64_t{0};
    } else {
        read_lanes(instruction, lanes, bytes, offset, memory.data);
        mask = lsu::bytes_of_lanes(memory, line, lanes);
    }
    const L1Access access{.line = line, .pc = memory.pc, .warp = memory.context, .client = Client::demand};
    if (kept) {
        return store_local_line(access, mask, bytes, now);
    }
    l1_.store(access, mask, bytes, epochs_.current_tag());
    store_sent();
    return true;
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::store_local_line(const L1Access& access, const ByteMask& mask,
                                                     const std::byte* bytes, Cycle now) {
    const L1StoreResult result = l1_.store_local(access, mask, bytes, epochs_.current_tag());
    if (result.answer == L1Answer::stall) {
        block(static_cast<std::uint8_t>(result.failure), now);
        return false;
    }
    if (result.answer == L1Answer::miss) {
        store_sent();
    }
    return true;
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::atomic_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
                                                Cycle now) {
    if (!l1_.can_write()) {
        block(static_cast<std::uint8_t>(ReservationFailure::miss_queue_full), now);
        return false;
    }
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    const bool returns = instruction.operation == isa::Operation::atomic;
    const auto count = static_cast<unsigned>(std::popcount(lanes));
    const AtomicRequest request{.line = line,
                                .tag = returns ? head_.load : epochs_.current_tag(),
                                .op = instruction.atomic,
                                .type = instruction.type,
                                .returns_value = returns,
                                .lanes = static_cast<std::uint8_t>(count)};
    SectorMask sectors = kAllSectors;
    if (l1_.sectored()) {
        alignas(32) std::uint8_t offsets[isa::kWarpSize];
        line_offsets(memory.addresses, offsets);
        sectors = sectors_of_lanes(offsets, lanes);
    }
    const L1Access access{
        .line = line, .pc = memory.pc, .warp = memory.context, .client = Client::demand, .sectors = sectors};
    if (l1_.keeps_stores_to(line)) [[unlikely]] {
        if (const L1StoreResult clean = l1_.clean_for_atomic(access); clean.answer == L1Answer::stall) {
            block(static_cast<std::uint8_t>(clean.failure), now);
            return false;
        }
    }
    std::byte* place = l1_.atomic(access, sizeof request + count * sizeof(AtomicLane));
    std::memcpy(place, &request, sizeof request);
    place += sizeof request;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const bool two = instruction.atomic == isa::AtomicOp::cas;
        const AtomicLane each{.operand = atomic_operand(instruction, lane, &memory.data[0]),
                              .operand2 = two ? atomic_operand(instruction, lane, &memory.data[2]) : 0,
                              .lane = static_cast<std::uint8_t>(lane),
                              .offset = static_cast<std::uint8_t>(memory.addresses[lane] - line),
                              .unused = {}};
        std::memcpy(place, &each, sizeof each);
        place += sizeof each;
    }
    if (returns) {
        ++loads_[head_.load].outstanding;
    } else {
        store_sent();
    }
    return true;
}

template <class Contract>
void BasicCoalescingUnit<Contract>::finish_head(QueuedInstruction& entry, Cycle now) {
    const std::uint16_t context = entry.memory.context;
    if (lsu::has_result(*entry.memory.instruction) && !entry.memory.pre_load) {
        PendingLoad& pending = loads_[head_.load];
        pending.issuing = false;
        pending.ready = std::max(pending.ready, now + 1);
        if (pending.outstanding == 0) {
            completions_.schedule(head_.load, pending.ready);
        }
    }
    head_ = {};
    queue_.pop();
    --contexts_[context].queued;
    ++performed_;
    close_fences();
    end_fences(now);
    end_cta_fence_if_due(context, now);
}

template <class Contract>
typename BasicCoalescingUnit<Contract>::Rows BasicCoalescingUnit<Contract>::rows_of(const isa::Instruction& instruction,
                                                                                    const DestinationRows& of) {
    Rows rows{};
    const unsigned count = instruction.vector * isa::type_rows(instruction.type);
    for (unsigned i = 0; i < count; ++i) {
        rows[i] = registers_.row(of[i]);
    }
    return rows;
}

// ---- Kernels, state -------------------------------------------------------------------------------------------------

template <class Contract>
void BasicCoalescingUnit<Contract>::begin_kernel() {
    LOOKAHEAD_ASSERT(drained(), name_ + ": a kernel begins while " + waiting_for());
    l1_.begin_kernel();
    texture_.begin_kernel();
}

template <class Contract>
void BasicCoalescingUnit<Contract>::begin_launch(const LaunchOnSm& launch) {
    if (prefetches_ != nullptr) {
        prefetches_->begin_launch(launch);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::cta_started(unsigned slot, std::uint64_t cta) {
    if (prefetches_ != nullptr) {
        prefetches_->cta_started(slot, cta);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::cta_ended(unsigned slot) {
    if (prefetches_ != nullptr) {
        prefetches_->cta_ended(slot);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::end_launch() {
    if (prefetches_ != nullptr) {
        prefetches_->end_launch();
    }
}

template <class Contract>
bool BasicCoalescingUnit<Contract>::drained() const {
    return queue_.empty() && texture_.idle() && loads_.empty() && stores_ == 0 && completions_.empty() &&
           l1_.drained() && lines_.idle() && memory_->drained();
}

template <class Contract>
std::string BasicCoalescingUnit<Contract>::waiting_for() const {
    if (drained()) {
        return "nothing";
    }
    return "the load/store unit has " + std::to_string(queue_.size()) + " instructions to perform, " +
           std::to_string(l1_.fills_under_way()) + " fills under way, " + std::to_string(stores_) +
           " stores to be acknowledged, " + texture_.waiting_for() + " and " + std::to_string(l1_.miss_queue().size()) +
           " requests to send";
}

template <class Contract>
void BasicCoalescingUnit<Contract>::audit(Audit& audit, std::uint32_t requester) const {
    audit.balance(name_, "line reads", traffic_.reads, traffic_.read_replies);
    audit.balance(name_, "stores and reductions", traffic_.writes, traffic_.acknowledgements);
    audit.balance(name_, "atomics", traffic_.atomics, traffic_.atomic_replies);
    audit.account("line reads", static_cast<std::int64_t>(traffic_.reads));
    audit.account("stores and reductions", static_cast<std::int64_t>(traffic_.writes));
    audit.account("atomics", static_cast<std::int64_t>(traffic_.atomics));
    audit.account("written bytes", static_cast<std::int64_t>(traffic_.written_bytes));
    if (!drained()) {
        audit.fault(name_, waiting_for());
    }
    audit.balance(name_, "memory instructions", accepted_, performed_);
    audit.leak(name_, "accesses for which fences would wait", epochs_.total());
    for (std::size_t context = 0; context < contexts_.size(); ++context) {
        const ContextAccount& account = contexts_[context];
        audit.leak(name_, "loads, acquires, fences or queued instructions of a warp that is gone",
                   account.queued + account.loads + account.acquires + (account.fence != nullptr ? 1u : 0u));
    }
    texture_.audit(audit);
    l1_.audit(audit, name_);
    if (prefetches_ != nullptr) {
        prefetches_->audit(audit);
    }
    memory_->audit(audit, requester);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::hash_state(StateHasher& hasher) const {
    l1_.hash_state(hasher);
    shared_.hash_state(hasher);
    allocations_.hash_state(hasher);
    texture_.hash_state(hasher);
    hasher.add(texture_first_);
    queue_.hash_state(hasher);
    hasher.add(std::uint64_t{head_.started} << 16 | std::uint64_t{head_.blocked} << 8 | head_.cause);
    hasher.add(head_.load);
    hasher.add(static_cast<std::uint64_t>(head_.blocked_since));
    hasher.add(static_cast<std::uint64_t>(head_.shared_until));
    loads_.hash_state(hasher);
    contexts_.hash_state(hasher);
    epochs_.hash_state(hasher);
    fences_behind_queue_.hash_state(hasher);
    fences_behind_epochs_.hash_state(hasher);
    hasher.add(accepted_);
    hasher.add(performed_);
    hasher.add(stores_);
    hasher.add_bytes(&traffic_, sizeof traffic_);
    lines_.hash_state(hasher);
    completions_.hash_state(hasher);
    hash(hasher, counters_);
    samples_.hash_state(hasher);
    if (prefetches_ != nullptr) {
        hasher.add(prefetch_blocked_);
        prefetches_->hash_state(hasher);
    }
    memory_->hash_state(hasher);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "lsu", counters_);
    visit(visitor, name_, "l1d", l1_.counters());
    texture_.visit_statistics(visitor);
    if (prefetches_ != nullptr) {
        prefetches_->visit_statistics(visitor);
    }
    memory_->visit_statistics(visitor);
}

/// All state but L1, instructions in flight and the memory port.
template <class Contract>
template <class Archive>
void BasicCoalescingUnit<Contract>::exchange(Archive& archive) {
    shared_.serialize(archive, 0);
    allocations_.serialize(archive, 0);
    queue_.serialize(archive, 0);
    archive& head_.started& head_.blocked& head_.cause& head_.load& head_.blocked_since& head_.shared_until;
    loads_.serialize(archive, 0);
    contexts_.serialize(archive, 0);
    epochs_.serialize(archive, 0);
    fences_behind_queue_.serialize(archive, 0);
    fences_behind_epochs_.serialize(archive, 0);
    archive& accepted_& performed_& stores_& texture_first_;
    archive& traffic_.reads& traffic_.read_replies& traffic_.writes& traffic_.acknowledgements& traffic_
        .atomics& traffic_.atomic_replies& traffic_.written_bytes;
    lines_.serialize(archive, 0);
    completions_.serialize(archive, 0);
    serialize_counters(archive, counters_);
    samples_.serialize(archive, 0);
    archive& accessed_& prefetch_blocked_;
}

template <class Contract>
template <class F>
void BasicCoalescingUnit<Contract>::for_each_instruction_pointer(F&& f) {
    queue_.for_each([&](QueuedInstruction& each) { f(each.memory.instruction); });
    for (std::uint32_t load = 0; load < loads_.size(); ++load) {
        f(loads_[load].instruction);
    }
    for (std::size_t context = 0; context < contexts_.size(); ++context) {
        f(contexts_[context].fence);
    }
}

template <class Contract>
void BasicCoalescingUnit<Contract>::save(boost::archive::binary_oarchive& archive, const isa::Instruction* code) const {
    auto& self = const_cast<BasicCoalescingUnit&>(*this);  // Boost's operator& serves both ways; here it only reads
    l1_.save(archive);
    self.exchange(archive);
    self.for_each_instruction_pointer([&](const isa::Instruction*& instruction) {
        const std::int64_t index = instruction == nullptr ? -1 : instruction - code;
        archive << index;
    });
    texture_.save(archive, code);
    if (prefetches_ != nullptr) {
        prefetches_->save(archive);
    }
    memory_->save(archive);
}

template <class Contract>
void BasicCoalescingUnit<Contract>::load(boost::archive::binary_iarchive& archive, const isa::Instruction* code) {
    l1_.load_state(archive);
    exchange(archive);
    for_each_instruction_pointer([&](const isa::Instruction*& instruction) {
        std::int64_t index = 0;
        archive >> index;
        instruction = index < 0 ? nullptr : code + index;
    });
    texture_.load(archive, code);
    if (prefetches_ != nullptr) {
        prefetches_->load(archive);
    }
    memory_->load(archive);
}

}  // namespace lookahead::gpu
