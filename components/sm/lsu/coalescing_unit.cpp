// What the issue stage brings, and the order of things in a cycle.
#include "components/sm/lsu/coalescing_unit.h"

#include <algorithm>

#include "components/sm/lsu/lane_spaces.h"
#include "components/sm/lsu/memory_order.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

namespace {

std::unique_ptr<ReplacementPolicy> make_replacement(const Configuration& configuration,
                                                    const L1Parameters& parameters) {
    return make_chosen<ReplacementPolicy>(
        configuration,
        ReplacementArguments{static_cast<unsigned>(parameters.sets), static_cast<unsigned>(parameters.tags_per_set())});
}

}  // namespace

CoalescingUnit::CoalescingUnit(const CoalescingParameters& parameters, LoadStoreArguments arguments)
    : name_(arguments.name),
      hit_latency_(arguments.configuration.read<L1Parameters>("l1d").hit_latency),
      fill_latency_(arguments.configuration.read<L1Parameters>("l1d").fill_latency),
      overlap_(static_cast<unsigned>(parameters.overlap)),
      lines_per_cycle_(static_cast<unsigned>(parameters.lines_per_cycle)),
      listener_(arguments.listener),
      memory_(std::move(arguments.memory)),
      l1_(arguments.configuration.read<L1Parameters>("l1d"),
          make_replacement(arguments.configuration, arguments.configuration.read<L1Parameters>("l1d"))),
      companion_(make_companion({arguments.configuration, l1_, arguments.contexts})),
      shared_(arguments.configuration.read<SharedMemoryParameters>("shared_memory"), arguments.shared_bytes),
      texture_(arguments.configuration.read<TextureParameters>("texture"), arguments.name, arguments.registers,
               arguments.listener, allocations_),
      constants_(arguments.constants != nullptr && arguments.constants->enabled() ? arguments.constants : nullptr),
      queue_(static_cast<unsigned>(parameters.queue)),
      splits_atomics_(parameters.atomic_bytes == kSectorBytes),
      completions_(std::max({hit_latency_, fill_latency_, shared_.latency(),
                             constants_ != nullptr ? constants_->hit_latency() : Cycle{0}}) +
                   (companion_ != nullptr ? companion_->latency() : Cycle{0}) + 1),
      loads_(static_cast<unsigned>(parameters.pending_loads), fill_latency_, arguments.registers, completions_),
      order_(arguments.contexts, parameters.ctas_wait_for_stores, completions_, loads_.size()),
      arbiter_(arguments.configuration, *memory_, l1_.miss_queue(), texture_, order_, samples_),
      prefetches_(PrefetchUnit::make(arguments.configuration, arguments.name, arguments.contexts, l1_.tags(),
                                     allocations_, arguments.listener, arguments.kernels, arguments.loads)) {
    if (parameters.atomic_bytes != kSectorBytes && parameters.atomic_bytes != kLineBytes) {
        throw ConfigurationError("coalescing.atomic_bytes is " + std::to_string(parameters.atomic_bytes) +
                                 "; it must be 32 or 128");
    }
    if (l1_.most_shared_memory() < arguments.shared_bytes) {
        throw ConfigurationError("sm.shared_bytes = " + std::to_string(arguments.shared_bytes) +
                                 " is more than the largest of l1d.shared_sizes, " +
                                 std::to_string(l1_.most_shared_memory() / 1024) + " KB");
    }
    texture_.sample_into(samples_);
    if (companion_ != nullptr) {
        l1_.join(*companion_);
    }
    if (prefetches_ != nullptr) {
        l1_.subscribe(*prefetches_);
    }
}

void CoalescingUnit::join(L1Client& client) {
    LOOKAHEAD_ASSERT(client_ == nullptr, "L1 has one client beside the warps and the prefetcher");
    if (companion_ != nullptr) {
        throw ConfigurationError(
            "an issue extension that accesses L1 by itself, as dac does, needs l1d.companion = none: its "
            "locks do not cover the words of private memory that a companion holds");
    }
    client_ = &client;
    client.joined(l1_, allocations_);
}

[[gnu::hot]] void CoalescingUnit::accept(const MemoryInstruction& instruction, Cycle now) {
    LOOKAHEAD_DEBUG_ASSERT(can_accept() && instruction.active != 0, "the load/store unit cannot accept this");
    if (instruction.instruction->operation == isa::Operation::texture) {
        return texture_.accept(instruction, now);
    }
    QueuedInstruction& entry = queue_[queue_.size()];
    InstructionQueue::copy(entry.memory, instruction);
    entry.accepted = now;
    if (instruction.elements > 1) [[unlikely]] {
        ElementSequence each;
        counters_.pre_load_unmapped += each.check(entry.memory, allocations_);
        entry.shared = entry.global = 0;  // each element has its own
    } else {
        counters_.pre_load_unmapped += split_lanes(entry, allocations_);
    }
    queue_.push();
    order_.accept(instruction.context);
    switch (instruction.instruction->operation) {
        case isa::Operation::load:
        case isa::Operation::load_stride:
        case isa::Operation::load_indirect:
            ++(instruction.pre_load ? counters_.pre_loads : counters_.loads);
            break;
        case isa::Operation::store:
        case isa::Operation::store_stride:
        case isa::Operation::store_indirect:
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

void CoalescingUnit::accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now) {
    ++counters_.fences;
    order_.accept_fence(context, instruction, now);
}

[[gnu::hot]] void CoalescingUnit::cycle(Cycle now) {
    if (prefetches_ != nullptr) [[unlikely]] {
        prefetches_->begin_cycle(now);
    }
    take_replies(now);
    completions_.take(now, [&](std::uint64_t item) { complete(static_cast<std::uint32_t>(item), now); });
    if (!queue_.empty() && !head_.blocked && queue_.front().memory.ready <= now) {
        run_head(now);
    }
    if (client_may_access() && accessed_ != now && client_->wants_access()) [[unlikely]] {
        client_blocked_ = !client_->access(now);
        accessed_ = now;
    }
    if (prefetches_ != nullptr && !prefetches_->empty()) [[unlikely]] {
        run_prefetches(now);
    }
    if (!texture_.idle()) {
        texture_.cycle(now);
    }
    if (flushing_) [[unlikely]] {
        flushing_ = !companion_->flush();
    }
    if (arbiter_.advance(now)) {
        wake();
    }
    switch (arbiter_.send(now, release_waits())) {
        case RequestArbiter::Freed::nothing:
            break;
        case RequestArbiter::Freed::line_request:
            if (head_.blocked && head_.cause == kStall + static_cast<unsigned>(LsuStall::constant_cache)) {
                wake();
            }
            break;
        case RequestArbiter::Freed::l1_request:
            wake();
            break;
    }
}

void CoalescingUnit::take_replies(Cycle now) {
    while (const MessageHeader* reply = memory_->next_reply(now)) {
        take_reply(*reply, now);
        wake();
    }
}

/// One prefetch, in a cycle in which no instruction accesses L1 or waits for something of it.
void CoalescingUnit::run_prefetches(Cycle now) {
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

[[gnu::hot]] Cycle CoalescingUnit::next_event(Cycle now) const {
    Cycle next = completions_.next(now);
    if (!queue_.empty() && !head_.blocked) {
        const QueuedInstruction& head = oldest_access();
        const bool looks_up = head.shared == 0 && head.global != 0;
        next = std::min(next, std::max({now + 1, looks_up ? now : head_.banks_until, head.memory.ready}));
    }
    if (!texture_.idle()) {
        next = std::min(next, texture_.next_event(now));
    }
    if (flushing_) [[unlikely]] {
        next = std::min(next, now + 1);
    }
    next = std::min(next, arbiter_.next_event(now, release_waits()));
    if (prefetches_ != nullptr && !prefetches_->empty() && !prefetch_blocked_ && may_prefetch()) [[unlikely]] {
        next = std::min(next, now + 1);
    }
    if (client_may_access() && client_->wants_access()) [[unlikely]] {
        next = std::min(next, now + 1);
    }
    return std::min(next, memory_->next_reply_cycle(now));
}

LOOKAHEAD_REGISTER_STATISTICS(LsuCounters, "lsu", "Load/store unit of an SM")
LOOKAHEAD_REGISTER_VARIANT(LoadStoreUnit, CoalescingUnit, "coalescing",
                           "One queue in order; a warp's lanes of one 128-byte line make one access.",
                           "NVIDIA, CUDA C Programming Guide, compute capability 2.x")

}  // namespace lookahead::gpu
