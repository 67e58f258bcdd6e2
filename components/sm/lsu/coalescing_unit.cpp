#include "components/sm/lsu/coalescing_unit.h"

#include <algorithm>

#include "components/isa/kernel.h"
#include "components/sm/lsu/access_order.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
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
      fill_latency_(arguments.configuration.read<L1Parameters>("l1d").fill_latency),
      listener_(arguments.listener),
      memory_(std::move(arguments.memory)),
      l1_(arguments.configuration.read<L1Parameters>("l1d"),
          make_replacement(arguments.configuration, arguments.configuration.read<L1Parameters>("l1d"))),
      shared_(arguments.configuration.read<SharedMemoryParameters>("shared_memory"), arguments.shared_bytes),
      texture_(arguments.configuration.read<TextureParameters>("texture"), arguments.name, arguments.registers,
               arguments.listener, allocations_),
      completions_(fill_latency_),
      loads_(static_cast<unsigned>(parameters.pending_loads), fill_latency_, arguments.registers, completions_),
      order_(arguments.contexts, parameters.ctas_wait_for_stores, completions_, loads_.size()),
      arbiter_(arguments.configuration, *memory_, l1_.miss_queue(), texture_, order_, samples_),
      private_(arguments.configuration, l1_, loads_, arguments.contexts),
      constants_(arguments.constants, loads_, arbiter_, counters_),
      spare_(l1_, PrefetchUnit::make(arguments.configuration, arguments.name, arguments.contexts, l1_.tags(),
                                     allocations_, arguments.listener, arguments.kernels, arguments.loads)),
      queue_(
          parameters, arguments.configuration.read<L1Parameters>("l1d").hit_latency,
          {{l1_, private_, loads_, order_, samples_, counters_}, allocations_, shared_, constants_, spare_, profile_}) {
    if (parameters.atomic_bytes != kSectorBytes && parameters.atomic_bytes != kLineBytes) {
        throw ConfigurationError("coalescing.atomic_bytes is {}; it must be 32 or 128", parameters.atomic_bytes);
    }
    if (l1_.shares().most_shared_memory() < arguments.shared_bytes) {
        throw ConfigurationError("sm.shared_bytes = {} is more than the largest of l1d.shared_sizes, {} KB",
                                 arguments.shared_bytes, l1_.shares().most_shared_memory() / 1024);
    }
    texture_.sample_into(samples_);
    const Cycle hit_latency = arguments.configuration.read<L1Parameters>("l1d").hit_latency;
    completions_.reach(std::max({hit_latency, fill_latency_, shared_.latency(), constants_.hit_latency()}) +
                       private_.latency() + 1);
}

void CoalescingUnit::join(L1Client& client) {
    if (private_.companion() != nullptr) {
        throw ConfigurationError(
            "an issue extension that accesses L1 by itself, as dac does, needs l1d.companion = none: its "
            "locks do not cover the words of private memory that a companion holds");
    }
    spare_.join(client, allocations_);
}

[[gnu::hot]] void CoalescingUnit::accept(const MemoryInstruction& instruction, Cycle now) {
    LOOKAHEAD_DEBUG_ASSERT(can_accept() && instruction.active != 0, "the load/store unit cannot accept this");
    if (instruction.instruction->operation == isa::Operation::texture) {
        texture_.accept(instruction, now);
    } else {
        queue_.accept(instruction, now);
    }
}

[[gnu::hot]] void CoalescingUnit::cycle(Cycle now) {
    spare_.begin_cycle(now);
    while (const MessageHeader* reply = memory_->next_reply(now)) {
        take_reply(*reply, now);
        wake();
    }
    completions_.take(now, [&](std::uint64_t item) { complete(static_cast<std::uint32_t>(item), now); });
    queue_.cycle(now);
    spare_.cycle(now, queue_.blocked(), queue_.empty());
    if (!texture_.idle()) { texture_.cycle(now); }
    if (private_.flushing()) [[unlikely]] { private_.flush(); }
    send_request(now);
}

inline void CoalescingUnit::send_request(Cycle now) {
    if (arbiter_.advance(now)) { wake(); }
    switch (arbiter_.send(now, queue_.waits_for(LsuStall::release))) {
        case RequestArbiter::Freed::nothing:
            break;
        case RequestArbiter::Freed::line_request:
            if (queue_.waits_for(LsuStall::constant_cache)) { wake(); }
            break;
        case RequestArbiter::Freed::l1_request:
            wake();
            break;
    }
}

[[gnu::hot]] Cycle CoalescingUnit::next_event(Cycle now) const {
    Cycle next = std::min(
        {completions_.next(now), queue_.next_event(now), spare_.next_event(now, queue_.blocked(), queue_.empty()),
         arbiter_.next_event(now, queue_.waits_for(LsuStall::release)), memory_->next_reply_cycle(now)});
    if (!texture_.idle()) { next = std::min(next, texture_.next_event(now)); }
    return private_.flushing() ? std::min(next, now + 1) : next;
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
            ++arbiter_.traffic().read_replies;
            if (reply.as<ReadReply>().client == Client::texture) {
                samples_.came(reply.as<ReadReply>().sample, now, now);
                return texture_.receive(reply.as<ReadReply>());
            }
            if (reply.as<ReadReply>().client == Client::read_only) { return line_came(reply.as<ReadReply>(), now); }
            samples_.came(reply.as<ReadReply>().sample, now, now + fill_latency_);
            if (private_.covers(reply.as<ReadReply>().line)) [[unlikely]] {
                return private_.fill(reply.as<ReadReply>(), now);
            }
            l1_.fill(reply.as<ReadReply>(), reply.as<ReadReply>().data(),
                     [&](const Waiter& waiter, const std::byte* line) {
                         loads_.write(waiter, line);
                         loads_.data_came(LoadToken::of(waiter).load, now);
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
            LOOKAHEAD_ASSERT(false, "a message of type {} came as a reply of memory", reply.type);
    }
}

/// Takes a line for the instruction or constant cache.
void CoalescingUnit::line_came(const ReadReply& reply, Cycle now) {
    const std::uint32_t reader = arbiter_.line_came(reply);
    const bool loads_waited = constants_.fill(reader, reply.data(), now);
    samples_.came(reply.sample, now, now + (loads_waited ? fill_latency_ : 0));  // warps fetch or issue again at once
    listener_.line_came(reader, now);
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
    ++counters_.completed_loads;
    counters_.load_cycles += static_cast<std::uint64_t>(now - load.begun);
    profile_.completed(*load.instruction, now - load.begun);
    if (load.kind == LoadKind::acquire && LOOKAHEAD_RULE(acquire_starts_generation) &&
        lsu::leaves_sm(*load.instruction)) {
        l1_.start_generation();
    }
    order_.end_load(load.context, load.kind == LoadKind::acquire, load.epoch, now);
}

/// The first element's entry lasts until the last element completes.
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
    const isa::Instruction& instruction = order_.complete_fence(context);
    if (LOOKAHEAD_RULE(fence_starts_generation) && lsu::leaves_sm(instruction)) { l1_.start_generation(); }
    listener_.memory_completed(context, instruction, now);
}

void CoalescingUnit::begin_kernel() {
    LOOKAHEAD_ASSERT(drained(), "{}: a kernel begins while {}", name_, waiting_for());
    arbiter_.begin_kernel();
    l1_.begin_kernel();
    private_.begin_kernel();
    texture_.begin_kernel();
}

void CoalescingUnit::begin_launch(const LaunchOnSm& launch) {
    profile_.begin_launch(launch);
    l1_.shares().leave_to_shared_memory(launch.shared_bytes);
    private_.begin_launch(launch.kernel.local_bytes);
    if (PrefetchUnit* prefetches = spare_.prefetches(); prefetches != nullptr) { prefetches->begin_launch(launch); }
}

void CoalescingUnit::cta_started(unsigned slot, std::uint64_t cta) {
    if (PrefetchUnit* prefetches = spare_.prefetches(); prefetches != nullptr) { prefetches->cta_started(slot, cta); }
}

void CoalescingUnit::cta_ended(unsigned slot) {
    if (PrefetchUnit* prefetches = spare_.prefetches(); prefetches != nullptr) { prefetches->cta_ended(slot); }
}

void CoalescingUnit::end_launch() {
    arbiter_.end_launch();
    private_.end_launch();
    if (PrefetchUnit* prefetches = spare_.prefetches(); prefetches != nullptr) { prefetches->end_launch(); }
}

bool CoalescingUnit::drained() const {
    return queue_.empty() && texture_.idle() && loads_.empty() && order_.stores() == 0 && completions_.empty() &&
           l1_.drained() && arbiter_.drained() && memory_->drained() && !private_.flushing();
}

std::string CoalescingUnit::waiting_for() const {
    if (drained()) { return "nothing"; }
    return fmt::format(
        "the load/store unit has {} instructions to perform, {} fills under way, {} stores to be acknowledged, {} and "
        "{} requests to send",
        queue_.size(), l1_.fills_under_way(), order_.stores(), texture_.waiting_for(), arbiter_.l1_requests());
}

void CoalescingUnit::audit(Audit& audit, std::uint32_t requester) const {
    arbiter_.audit(audit, name_);
    if (!drained()) { audit.fault(name_, waiting_for()); }
    const AccessCounters by_place = profile_.totals();
    audit.balance(name_, "lines by place", counters_.global_accesses, by_place.lines);
    audit.balance(name_, "loads by place", counters_.completed_loads, by_place.loads);
    audit.balance(name_, "cycles of loads by place", counters_.load_cycles, by_place.load_cycles);
    audit.balance(name_, "cycles in banks by place", counters_.shared_accesses + counters_.shared_conflict_cycles,
                  by_place.bank_cycles);
    order_.audit(audit, name_);
    texture_.audit(audit);
    l1_.audit(audit, name_);
    if (const L1Companion* companion = private_.companion(); companion != nullptr) { companion->audit(audit, name_); }
    if (const PrefetchUnit* prefetches = spare_.prefetches(); prefetches != nullptr) { prefetches->audit(audit); }
    memory_->audit(audit, requester);
}

void CoalescingUnit::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "lsu", counters_);
    profile_.visit(visitor);
    visit(visitor, name_, "l1d", l1_.counters());
    if (const L1Companion* companion = private_.companion(); companion != nullptr) {
        companion->visit_statistics(visitor, name_);
    }
    arbiter_.visit_statistics(visitor, name_);
    texture_.visit_statistics(visitor);
    if (const PrefetchUnit* prefetches = spare_.prefetches(); prefetches != nullptr) {
        prefetches->visit_statistics(visitor);
    }
    memory_->visit_statistics(visitor);
}

/// The order of the fields is that of the checkpoints' layout.
void CoalescingUnit::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    archive& l1_& shared_& allocations_& private_;
    arbiter_.path_fields(archive);
    queue_.fields(archive, code);
    loads_.fields(archive, code);
    order_.fields(archive, code);
    archive& arbiter_& completions_& counters_& profile_& samples_& spare_;
    texture_.fields(archive, code);
    spare_.others_fields(archive);
    memory_->fields(archive);
}

LOOKAHEAD_REGISTER_STATISTICS(LsuCounters, "lsu", "Load/store unit of an SM")
LOOKAHEAD_REGISTER_STATISTICS(AccessCounters, "instruction_access", "Accesses of an instruction of a kernel")
LOOKAHEAD_REGISTER_VARIANT(LoadStoreUnit, CoalescingUnit, "coalescing",
                           "One queue in order; a warp's lanes of one 128-byte line make one access.",
                           "NVIDIA, CUDA C Programming Guide, compute capability 2.x")

}  // namespace lookahead::gpu
