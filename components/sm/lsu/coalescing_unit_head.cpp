// What the oldest instruction does in a cycle.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/memory_order.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

namespace {

/// That the lanes access in the line.
[[gnu::hot]] ByteMask bytes_of_lanes(const MemoryInstruction& memory, std::uint64_t line, isa::LaneMask lanes) {
    const unsigned width = isa::lane_bytes(*memory.instruction);
    const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    ByteMask mask;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t first = memory.addresses[static_cast<unsigned>(std::countr_zero(left))] - line;
        mask.bits[first / 64] |= ones << (first % 64);
    }
    return mask;
}

}  // namespace

void CoalescingUnit::block(std::uint8_t cause, Cycle now) {
    head_.blocked = true;
    head_.cause = cause;
    head_.blocked_since = now;
}

/// Charges the cycles since the head last tried and failed; 0 if it did not.
void CoalescingUnit::charge_block(Cycle now) {
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

[[gnu::hot]] void CoalescingUnit::run_head(Cycle now) {
    QueuedInstruction& entry = queue_.front();
    charge_block(now);
    if (entry.memory.elements > 1) [[unlikely]] {
        return run_elements(entry, now);
    }
    if (!head_.started && !start_head(entry, now)) {
        return;
    }
    if (perform(entry, now)) {
        finish_head(entry, now);
    }
}

/// As for an instruction of its own, element by element. An element that has no more to do in this cycle leaves the next
/// one to the next cycle.
void CoalescingUnit::run_elements(QueuedInstruction& whole, Cycle now) {
    if (!elements_.begun()) {
        elements_.begin(whole.memory, allocations_);
    }
    if (!head_.started && !start_element(whole, now)) {
        return;
    }
    if (!perform(elements_.current(), now)) {
        return;
    }
    if (lsu::has_result(*whole.memory.instruction) && !whole.memory.pre_load) {
        all_accessed(now);
    }
    if (elements_.next(whole.memory, allocations_)) {
        head_ = {.first_load = head_.first_load};
        return;
    }
    leave_queue(now);
}

/// An entry of the load table for each; the first one's stands for the load.
bool CoalescingUnit::start_element(const QueuedInstruction& whole, Cycle now) {
    const MemoryInstruction& memory = whole.memory;
    const bool first = elements_.number() == 0;
    if (const std::optional<LsuStall> stall = order_.stall_of(memory); stall.has_value()) {
        block(*stall, now);
        return false;
    }
    if (lsu::has_result(*memory.instruction) && !memory.pre_load) {
        if (loads_.full()) {
            block(LsuStall::load_table_full, now);
            return false;
        }
        head_.load = loads_.begin(*memory.instruction, elements_.current().memory, whole.accepted, order_.epoch());
        PendingLoad& pending = loads_[head_.load];
        pending.kind = LoadKind::element;
        pending.element = static_cast<std::uint8_t>(elements_.number());
        pending.elements_left = first ? memory.elements : std::uint8_t{0};
        if (first) {
            head_.first_load = head_.load;
            order_.begin_load(memory.context, false);
        }
        pending.first = head_.first_load;
    }
    head_.started = true;
    if (prefetches_ != nullptr && !memory.pre_load) [[unlikely]] {
        prefetches_->observe(elements_.current());
    }
    return true;
}

/// False if it must wait.
[[gnu::hot]] bool CoalescingUnit::start_head(QueuedInstruction& entry, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    if (const std::optional<LsuStall> stall = order_.stall_of(memory); stall.has_value()) {
        block(*stall, now);
        return false;
    }
    if (lsu::has_result(instruction) && !memory.pre_load) {
        if (loads_.full()) {
            block(LsuStall::load_table_full, now);
            return false;
        }
        const bool acquire = lsu::is_acquire(instruction);
        head_.load = loads_.begin(instruction, memory, entry.accepted, order_.epoch());
        loads_[head_.load].kind = acquire ? LoadKind::acquire : LoadKind::plain;
        order_.begin_load(memory.context, acquire);
    }
    head_.started = true;
    if (prefetches_ != nullptr && !memory.pre_load) [[unlikely]] {
        prefetches_->observe(entry);
    }
    return true;
}

/// Values move in the first cycle; the banks stay taken for the others. True when the instruction has no more to do.
[[gnu::hot]] bool CoalescingUnit::perform_shared(QueuedInstruction& entry, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    if (head_.banks_until == kNoBanks) {
        const unsigned degree = shared_.conflict_degree(memory, entry.shared);
        if (lsu::has_result(*memory.instruction)) {
            shared_.perform(memory, entry.shared, loads_.rows_of(loads_[head_.load]).data());
        } else {
            shared_.perform(memory, entry.shared, nullptr);
        }
        head_.banks_until = now + degree - 1;
        ++counters_.shared_accesses;
        counters_.shared_conflict_cycles += degree - 1;
    }
    if (now < head_.banks_until) {
        return false;
    }
    if (lsu::has_result(*memory.instruction)) {
        PendingLoad& pending = loads_[head_.load];
        pending.ready = std::max(pending.ready, now + shared_.latency());
    }
    head_.banks_until = kNoBanks;
    entry.shared = 0;
    return entry.global == 0;
}

/// One pass: the lanes that ask for the word of the lowest one that is left.
bool CoalescingUnit::perform_constant(QueuedInstruction& entry, Cycle now) {
    const std::uint64_t address = entry.memory.addresses[std::countr_zero(entry.global)];
    const isa::LaneMask lanes = lanes_in_word(entry.memory.addresses, address) & entry.global;
    PendingLoad& pending = loads_[head_.load];
    switch (constants_->load(address & ~std::uint64_t{ConstantCache::kBytes - 1}, {head_.load, lanes},
                             arbiter_.can_request_line())) {
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

[[gnu::hot]] bool CoalescingUnit::perform_global(QueuedInstruction& entry, Cycle now) {
    if (entry.global == 0) [[unlikely]] {
        return true;  // a pre-load of which no lane is left
    }
    accessed_ = now;
    const auto first = std::countr_zero(entry.global);
    const std::uint64_t line = line_of(entry.memory.addresses[first]);
    isa::LaneMask lanes = lanes_in_line(entry.memory.addresses, line) & entry.global;
    bool done = false;
    switch (entry.memory.instruction->operation) {
        case isa::Operation::load:
            if (entry.memory.pre_load) [[unlikely]] {
                done = pre_load_line(entry, line, lanes, now);
                break;
            }
            if (is_private(line)) [[unlikely]] {
                done = load_private(entry, line, lanes, now);
                break;
            }
            done = l1_.sectored() ? load_sectors(entry, line, lanes, now)
                                  : load_line(entry, line, kAllSectors, {head_.load, lanes}, now);
            break;
        case isa::Operation::store:
            done = store_line(entry, line, lanes, now);
            break;
        default:
            lanes = splits_atomics_ ? lanes_together(entry, lanes) : lanes;
            done = atomic_line(entry, line, lanes, now);
            break;
    }
    if (done) {
        ++counters_.global_accesses;
        entry.global &= ~lanes;
    }
    return entry.global == 0;
}

/// A load looks several lines up in a cycle. Then it holds the banks, from the first cycle on, as long as its words' conflicts
/// take, hits and misses alike: L1's and shared memory's bytes are in the same ones.
bool CoalescingUnit::perform_global_lines(QueuedInstruction& entry, Cycle now) {
    if (entry.memory.instruction->operation != isa::Operation::load || entry.memory.pre_load) {
        return perform_global(entry, now);
    }
    if (head_.banks_until == kNoBanks) {
        head_.banks_until = now + shared_.conflict_degree(entry.memory, entry.global) - 1;
    }
    for (unsigned lines = 0; lines < lines_per_cycle_ && entry.global != 0 && !head_.blocked; ++lines) {
        if (perform_global(entry, now) && now < head_.banks_until) {
            counters_.global_conflict_cycles += static_cast<std::uint64_t>(head_.banks_until - now);
        }
    }
    if (entry.global != 0 || now < head_.banks_until) {
        return false;
    }
    PendingLoad& pending = loads_[head_.load];
    pending.ready = std::max(pending.ready, now + hit_latency_);
    return true;
}

/// Loads the sectors of a line in one cycle, in groups of those that are in one state. Those that are done are taken
/// from the instruction, should a later group have to wait.
[[gnu::hot]] bool CoalescingUnit::load_sectors(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
                                               Cycle now, std::uint32_t flags) {
    const isa::Instruction& instruction = *entry.memory.instruction;
    if (isa::lane_bytes(instruction) > kSectorBytes) [[unlikely]] {
        return load_halves(entry, line, lanes, now);
    }
    const std::uint8_t* offsets = loads_[head_.load].offsets;
    while (lanes != 0) {
        const SectorMask sectors = sectors_to_load(instruction, line, sectors_of_lanes(offsets, lanes));
        const isa::LaneMask group = lanes & lanes_in_sectors(offsets, sectors);
        if (!load_line(entry, line, sectors, {head_.load | flags, group}, now)) {
            return false;
        }
        entry.global &= ~group;
        lanes &= ~group;
    }
    return true;
}

/// As load_sectors, where each lane has two sectors, which may be in different states: the first ones of all lanes, then
/// the second ones.
bool CoalescingUnit::load_halves(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    const auto load = [&](std::uint32_t half, unsigned begin, isa::LaneMask left, auto&& done) {
        alignas(32) std::uint8_t offsets[isa::kWarpSize];
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            offsets[lane] = static_cast<std::uint8_t>(loads_[head_.load].offsets[lane] + begin);
        }
        while (left != 0) {
            const SectorMask sectors =
                sectors_to_load(*entry.memory.instruction, line, sectors_of_lanes(offsets, left));
            const isa::LaneMask group = left & lanes_in_sectors(offsets, sectors);
            if (!load_line(entry, line, sectors, {head_.load | half, group}, now)) {
                return false;
            }
            done(group);
            left &= ~group;
        }
        return true;
    };
    return load(LoadTable::kLowerHalf, 0, lanes & ~head_.lower_halves,
                [&](isa::LaneMask group) { head_.lower_halves |= group; }) &&
           load(LoadTable::kUpperHalf, kSectorBytes, lanes, [&](isa::LaneMask group) {
               entry.global &= ~group;
               head_.lower_halves &= ~group;
           });
}

/// An ordered load does, but of a line whose stores L1 keeps.
bool CoalescingUnit::goes_to_l2(const isa::Instruction& instruction, std::uint64_t line) const {
    return instruction.order != isa::Order::weak && !l1_.keeps_stores_to(line) &&
           LOOKAHEAD_RULE(ordered_load_goes_to_l2);
}

/// Those of the sectors that may be loaded together.
SectorMask CoalescingUnit::sectors_to_load(const isa::Instruction& instruction, std::uint64_t line,
                                           SectorMask sectors) const {
    return goes_to_l2(instruction, line) ? sectors : l1_.alike(line, sectors);
}

[[gnu::hot]] bool CoalescingUnit::load_line(QueuedInstruction& entry, std::uint64_t line, SectorMask sectors,
                                            const Waiter& waiter, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    L1Access access{
        .line = line, .pc = memory.pc, .warp = memory.context, .client = Client::demand, .sectors = sectors};
    ByteMask bytes;
    if (l1_.keeps_stores_to(line)) {
        bytes = bytes_of_lanes(memory, line, waiter.lanes);
        access.bytes = &bytes;
    }
    const L1LoadResult result =
        goes_to_l2(instruction, line) ? l1_.load_ordered(access, waiter) : l1_.load(access, waiter);
    if (result.answer == L1Answer::stall) {
        block(static_cast<std::uint8_t>(result.failure), now);
        return false;
    }
    PendingLoad& pending = loads_[head_.load];
    pending.ready = std::max(pending.ready, now + hit_latency_);
    if (result.answer == L1Answer::hit) {
        loads_.write(waiter, result.data);
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
bool CoalescingUnit::pre_load_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    SectorMask left = kAllSectors;
    if (l1_.sectored()) {
        alignas(32) std::uint8_t offsets[isa::kWarpSize];
        line_offsets(memory.addresses, offsets);
        left = sectors_of_lanes(offsets, lanes);
        if (isa::lane_bytes(*memory.instruction) > kSectorBytes) [[unlikely]] {
            left |= static_cast<SectorMask>(left << 1);
        }
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

[[gnu::hot]] bool CoalescingUnit::store_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
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
        mask = bytes_of_lanes(memory, line, lanes);
    }
    L1Access access{.line = line, .pc = memory.pc, .warp = memory.context, .client = Client::demand};
    if (kept) {
        if (companion_ == nullptr) {
            return store_in_l1(access, mask, bytes, now);
        }
        access.as_vector = is_vector(memory, line);
        return store_private(access, mask, bytes, now);
    }
    l1_.store(access, mask, bytes, order_.store_tag(memory.context));
    order_.begin_store(memory.context);
    return true;
}

bool CoalescingUnit::store_in_l1(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now) {
    const L1StoreResult result = l1_.store_local(access, mask, bytes, order_.store_tag(access.warp));
    if (result.answer == L1Answer::stall) {
        block(static_cast<std::uint8_t>(result.failure), now);
        return false;
    }
    if (result.answer == L1Answer::miss) {
        order_.begin_store(access.warp);
    }
    return true;
}

/// The lanes in the sector of the line's lowest one, the first one of each word.
isa::LaneMask CoalescingUnit::lanes_together(const QueuedInstruction& entry, isa::LaneMask lanes) const {
    const std::uint64_t* const addresses = entry.memory.addresses;
    const std::uint64_t sector = addresses[std::countr_zero(lanes)] / kSectorBytes;
    isa::LaneMask together = 0;
    unsigned words = 0;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const unsigned word = 1u << (addresses[lane] % kSectorBytes / 4);
        if (addresses[lane] / kSectorBytes == sector && (words & word) == 0) {
            words |= word;
            together |= isa::LaneMask{1} << lane;
        }
    }
    return together;
}

bool CoalescingUnit::atomic_line(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    if (!l1_.can_write()) {
        block(static_cast<std::uint8_t>(ReservationFailure::miss_queue_full), now);
        return false;
    }
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    const bool returns = instruction.operation == isa::Operation::atomic;
    const auto count = static_cast<unsigned>(std::popcount(lanes));
    const AtomicRequest request{.line = line,
                                .tag = returns ? head_.load : order_.store_tag(memory.context),
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
    if (is_private(line) && !(companion_->give_up(line) && l1_.can_write())) [[unlikely]] {
        block(static_cast<std::uint8_t>(ReservationFailure::miss_queue_full), now);
        return false;
    }
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
        order_.begin_store(memory.context);
    }
    return true;
}

inline void CoalescingUnit::finish_head(const QueuedInstruction& entry, Cycle now) {
    if (lsu::has_result(*entry.memory.instruction) && !entry.memory.pre_load) {
        all_accessed(now);
    }
    leave_queue(now);
}

/// The load, or element of one, has made its last access.
inline void CoalescingUnit::all_accessed(Cycle now) {
    loads_.all_accessed(head_.load, now);
}

inline void CoalescingUnit::leave_queue(Cycle now) {
    const std::uint16_t context = queue_.front().memory.context;
    head_ = {};
    queue_.pop();
    order_.performed(context, now);
}

}  // namespace lookahead::gpu
