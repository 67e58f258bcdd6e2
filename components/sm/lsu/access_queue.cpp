#include "components/sm/lsu/access_queue.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "components/sm/lsu/access_order.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/lane_spaces.h"
#include "core/error/error.h"

namespace lookahead::gpu {

namespace {

/// Whether an entry in the load table awaits the instruction's completion.
bool completes(const MemoryInstruction& memory) {
    return lsu::has_result(*memory.instruction) && !memory.pre_load;
}

}  // namespace

AccessQueue::AccessQueue(const CoalescingParameters& parameters, Cycle hit_latency, const Parts& parts)
    : overlap_(static_cast<unsigned>(parameters.overlap)),
      lines_per_cycle_(static_cast<unsigned>(parameters.lines_per_cycle)),
      hit_latency_(hit_latency),
      parts_(parts),
      queue_(static_cast<unsigned>(parameters.queue)),
      l1_accesses_(queue_, head_, parts, hit_latency, parameters.atomic_bytes == kSectorBytes) {}

[[gnu::hot]] void AccessQueue::accept(const MemoryInstruction& instruction, Cycle now) {
    LsuCounters& counters = parts_.counters;
    parts_.profile.expect(instruction.pc);
    QueuedInstruction& entry = queue_[queue_.size()];
    InstructionQueue::copy(entry.memory, instruction);
    entry.accepted = now;
    if (instruction.elements > 1) [[unlikely]] {
        ElementSequence each;
        counters.pre_load_unmapped += each.check(entry.memory, parts_.allocations);
        entry.shared = entry.global = 0;  // each element has its own
    } else {
        counters.pre_load_unmapped += split_lanes(entry, parts_.allocations);
    }
    queue_.push();
    parts_.order.accept(instruction.context);
    const isa::Operation operation = instruction.instruction->operation;
    if (isa::is_load(operation)) {
        ++(instruction.pre_load ? counters.pre_loads : counters.loads);
    } else if (isa::is_store(operation)) {
        ++counters.stores;
    } else {
        ++(operation == isa::Operation::atomic ? counters.atomics : counters.reductions);
    }
}

/// When an element is done, the next one waits for the next cycle.
[[gnu::hot]] void AccessQueue::run(Cycle now) {
    QueuedInstruction& whole = queue_.front();
    const bool by_elements = whole.memory.elements > 1;
    head_.charge(parts_.l1, parts_.counters, now);
    if (by_elements && !elements_.begun()) [[unlikely]] { elements_.begin(whole.memory, parts_.allocations); }
    QueuedInstruction& access = by_elements ? elements_.current() : whole;
    if ((!head_.started && !start(access, now)) || !perform(access, now)) { return; }
    if (completes(whole.memory)) { parts_.loads.all_accessed(head_.load, now); }
    parts_.profile.performed(whole.memory.pc, head_.accesses);
    if (by_elements && elements_.next(whole.memory, parts_.allocations)) [[unlikely]] {
        const std::uint32_t first_load = head_.first_load;
        head_ = {};
        head_.first_load = first_load;
        return;
    }
    const std::uint16_t context = whole.memory.context;
    head_ = {};
    queue_.pop();
    parts_.order.performed(context, now);
}

/// Returns false if the access must wait.
inline bool AccessQueue::start(const QueuedInstruction& access, Cycle now) {
    if (const std::optional<LsuStall> stall = parts_.order.stall_of(access.memory); stall.has_value()) {
        return head_.block(*stall, now);
    }
    if (completes(access.memory)) {
        if (parts_.loads.full()) { return head_.block(LsuStall::load_table_full, now); }
        begin_load(access);
    }
    head_.started = true;
    parts_.spare.observe(access);
    return true;
}

/// Each element has an entry in the load table; the first one's stands for the load.
inline void AccessQueue::begin_load(const QueuedInstruction& access) {
    const QueuedInstruction& whole = queue_.front();
    const isa::Instruction& instruction = *whole.memory.instruction;
    head_.load = parts_.loads.begin(instruction, access.memory, whole.accepted, parts_.order.epoch());
    PendingLoad& pending = parts_.loads[head_.load];
    bool first = true;
    if (whole.memory.elements > 1) [[unlikely]] {
        first = elements_.number() == 0;
        head_.first_load = first ? head_.load : head_.first_load;
        pending.kind = LoadKind::element;
        pending.element = static_cast<std::uint8_t>(elements_.number());
        pending.elements_left = first ? whole.memory.elements : std::uint8_t{0};
        pending.first = head_.first_load;
    } else if (lsu::is_acquire(instruction)) {
        pending.kind = LoadKind::acquire;
    }
    if (first) { parts_.order.begin_load(whole.memory.context, pending.kind == LoadKind::acquire); }
}

/// Values move in the first cycle; later ones only hold the banks. Returns whether the instruction is done.
[[gnu::hot]] bool AccessQueue::perform_shared(QueuedInstruction& access, Cycle now) {
    const MemoryInstruction& memory = access.memory;
    const bool has_result = lsu::has_result(*memory.instruction);
    SharedMemory& shared = parts_.shared;
    if (head_.banks_until == QueueHead::kNoBanks) {
        const unsigned degree = shared.conflict_degree(memory, access.shared);
        if (has_result) {
            shared.perform(memory, access.shared, parts_.loads.rows_of(parts_.loads[head_.load]).data());
        } else {
            shared.perform(memory, access.shared, nullptr);
        }
        head_.banks_until = now + degree - 1;
        head_.accesses.banks(degree);
        ++parts_.counters.shared_accesses;
        parts_.counters.shared_conflict_cycles += degree - 1;
    }
    if (now < head_.banks_until) { return false; }
    if (has_result) { parts_.loads[head_.load].not_before(now + shared.latency()); }
    head_.banks_until = QueueHead::kNoBanks;
    access.shared = 0;
    return access.global == 0;
}

inline bool AccessQueue::perform_line(QueuedInstruction& access, Cycle now) {
    if (access.global != 0) [[likely]] {  // a pre-load may have no lanes left
        parts_.spare.give_way(now);
        l1_accesses_.perform(access, now);
    }
    return access.global == 0;
}

/// A load looks up several lines in a cycle. Then it holds the banks, from the first cycle, for the cycles of its
/// words' conflicts, hits and misses alike, because L1 and shared memory use the same banks.
bool AccessQueue::perform_lines(QueuedInstruction& access, Cycle now) {
    if (access.memory.instruction->operation != isa::Operation::load || access.memory.pre_load) {
        return perform_line(access, now);
    }
    if (head_.banks_until == QueueHead::kNoBanks) {
        head_.banks_until = now + parts_.shared.conflict_degree(access.memory, access.global) - 1;
    }
    for (unsigned lines = 0; lines < lines_per_cycle_ && access.global != 0 && !head_.blocked; ++lines) {
        if (perform_line(access, now) && now < head_.banks_until) {
            parts_.counters.global_conflict_cycles += static_cast<std::uint64_t>(head_.banks_until - now);
        }
    }
    if (access.global != 0 || now < head_.banks_until) { return false; }
    parts_.loads[head_.load].not_before(now + hit_latency_);
    return true;
}

void AccessQueue::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    queue_.fields(archive, code);
    const MemoryInstruction* oldest = queue_.empty() ? nullptr : &queue_.front().memory;
    const bool by_elements = oldest != nullptr && oldest->elements > 1;
    head_.fields(archive, oldest);
    elements_.fields(archive, by_elements ? oldest : nullptr, parts_.allocations);
    if (by_elements) { archive& head_.first_load; }
}

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
