#include "components/sm/lsu/l1_accesses.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "components/sm/lsu/lane_data.h"
#include "core/bits/set_bits.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

namespace {

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

/// Those of `lanes` in the sector of the lowest one; of those with the same word only the first.
isa::LaneMask lanes_together(const std::uint64_t* addresses, isa::LaneMask lanes) {
    const std::uint64_t sector = addresses[std::countr_zero(lanes)] / kSectorBytes;
    isa::LaneMask together = 0;
    unsigned words = 0;
    for (const unsigned lane : SetBits(lanes)) {
        const unsigned word = 1u << (addresses[lane] % kSectorBytes / 4);
        if (addresses[lane] / kSectorBytes == sector && (words & word) == 0) {
            words |= word;
            together |= isa::LaneMask{1} << lane;
        }
    }
    return together;
}

/// The sectors of their lines that the lanes' addresses fall into.
SectorMask sectors_accessed(const MemoryInstruction& memory, isa::LaneMask lanes) {
    alignas(32) std::uint8_t offsets[isa::kWarpSize];
    line_offsets(memory.addresses, offsets);
    return sectors_of_lanes(offsets, lanes);
}

}  // namespace

[[gnu::hot]] void L1Accesses::perform(QueuedInstruction& entry, Cycle now) {
    const std::uint64_t line = line_of(entry.memory.addresses[std::countr_zero(entry.global)]);
    isa::LaneMask lanes = lanes_in_line(entry.memory.addresses, line) & entry.global;
    bool done = false;
    switch (entry.memory.instruction->operation) {
        case isa::Operation::load:
            if (entry.memory.pre_load) [[unlikely]] {
                done = pre_load_line(entry, line, lanes, now);
            } else if (parts_.private_memory.covers(line)) [[unlikely]] {
                done = load_private(entry, line, lanes, now);
            } else {
                done = load(entry, line, lanes, now, {head_.load});
            }
            break;
        case isa::Operation::store:
            done = store_line(entry, line, lanes, now);
            break;
        default:
            lanes = splits_atomics_ ? lanes_together(entry.memory.addresses, lanes) : lanes;
            done = atomic_line(entry, line, lanes, now);
            break;
    }
    if (done) {
        ++parts_.counters.global_accesses;
        head_.accesses.line();
        entry.global &= ~lanes;
    }
}

/// Loads a sector of each lane, at the given offsets in the line, in groups of sectors in the same state. Calls
/// done(lanes) for each group that L1 has taken, so that it does not come again if a later one must wait.
bool L1Accesses::load_groups(const QueuedInstruction& entry, std::uint64_t line, const std::uint8_t* offsets,
                             isa::LaneMask lanes, const LoadToken& token, Cycle now, auto&& done) {
    while (lanes != 0) {
        const SectorMask sectors = sectors_to_load(*entry.memory.instruction, line, sectors_of_lanes(offsets, lanes));
        const isa::LaneMask group = lanes & lanes_in_sectors(offsets, sectors);
        if (!load_line(entry, line, sectors, {token.packed(), group}, now)) { return false; }
        done(group);
        lanes &= ~group;
    }
    return true;
}

/// If lanes have two sectors, loads the first ones of all, then the second ones: they may be in different states.
[[gnu::hot]] bool L1Accesses::load_sectors(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now,
                                           const LoadToken& token) {
    const std::uint8_t* offsets = parts_.loads[head_.load].offsets;
    if (isa::lane_bytes(*entry.memory.instruction) <= kSectorBytes) [[likely]] {
        return load_groups(entry, line, offsets, lanes, token, now,
                           [&](isa::LaneMask group) { entry.global &= ~group; });
    }
    alignas(32) std::uint8_t second[isa::kWarpSize];
    std::transform(offsets, offsets + isa::kWarpSize, second,
                   [](unsigned offset) { return static_cast<std::uint8_t>(offset + kSectorBytes); });
    return load_groups(entry, line, offsets, lanes & ~head_.lower_halves,
                       {token.load, LoadToken::Part::lower_half, token.as_vector}, now,
                       [&](isa::LaneMask group) { head_.lower_halves |= group; }) &&
           load_groups(entry, line, second, lanes, {token.load, LoadToken::Part::upper_half, token.as_vector}, now,
                       [&](isa::LaneMask group) {
                           entry.global &= ~group;
                           head_.lower_halves &= ~group;
                       });
}

/// Whether the load must go to L2: an ordered one, unless L1 keeps stores to its line.
bool L1Accesses::goes_to_l2(const isa::Instruction& instruction, std::uint64_t line) const {
    return instruction.order != isa::Order::weak && !parts_.l1.keeps_stores_to(line) &&
           LOOKAHEAD_RULE(ordered_load_goes_to_l2);
}

SectorMask L1Accesses::sectors_to_load(const isa::Instruction& instruction, std::uint64_t line,
                                       SectorMask sectors) const {
    return goes_to_l2(instruction, line) ? sectors : parts_.l1.alike(line, sectors);
}

[[gnu::hot]] bool L1Accesses::load_line(const QueuedInstruction& entry, std::uint64_t line, SectorMask sectors,
                                        const Waiter& waiter, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    L1Access access{
        .line = line, .pc = memory.pc, .warp = memory.context, .client = Client::demand, .sectors = sectors};
    ByteMask bytes;
    if (parts_.l1.keeps_stores_to(line)) {
        bytes = bytes_of_lanes(memory, line, waiter.lanes);
        access.bytes = &bytes;
    }
    const L1LoadResult result =
        goes_to_l2(instruction, line) ? parts_.l1.load_ordered(access, waiter) : parts_.l1.load(access, waiter);
    if (result.answer == L1Answer::stall) { return head_.block(result.failure, now); }
    head_.accesses.answered(result.answer);
    PendingLoad& pending = parts_.loads[head_.load];
    pending.not_before(now + hit_latency_);
    if (result.answer == L1Answer::hit) {
        parts_.loads.write(waiter, result.data);
    } else {
        ++pending.outstanding;
        const auto source = line >= isa::kLocalMemoryBase ? MissSamples::Source::local : MissSamples::Source::global;
        if (result.answer == L1Answer::miss && parts_.samples.due(source)) [[unlikely]] {
            reinterpret_cast<ReadRequest*>(parts_.l1.miss_queue().last_payload())->sample =
                parts_.samples.begin(source, now);
        }
    }
    return true;
}

/// A pre-load waits for a place in the miss queue, which one request leaves per cycle. It is dropped if there is no
/// MSHR or no replaceable line: demand loads behind it must not wait a memory latency for a hint.
bool L1Accesses::pre_load_line(const QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    const MemoryInstruction& memory = entry.memory;
    SectorMask left = parts_.l1.sectored() ? sectors_accessed(memory, lanes) : kAllSectors;
    if (isa::lane_bytes(*memory.instruction) > kSectorBytes) [[unlikely]] {
        left = kAllSectors & static_cast<SectorMask>(left | left << 1);
    }
    while (left != 0) {
        const SectorMask sectors = parts_.l1.sectored() ? parts_.l1.alike(line, left) : left;
        const L1LoadResult result = parts_.l1.load(
            {.line = line, .pc = memory.pc, .warp = memory.context, .client = Client::pre_load, .sectors = sectors},
            {});
        if (result.answer == L1Answer::stall) {
            if (result.failure == ReservationFailure::miss_queue_full ||
                result.failure == ReservationFailure::write_back) {
                return head_.block(result.failure, now);
            }
            ++parts_.counters.pre_load_drops;
        }
        left &= static_cast<SectorMask>(~sectors);
    }
    return true;
}

[[gnu::hot]] bool L1Accesses::store_line(const QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes,
                                         Cycle now) {
    const bool kept = parts_.l1.keeps_stores_to(line);
    if (!kept && !parts_.l1.can_write()) { return head_.block(ReservationFailure::miss_queue_full, now); }
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    const auto offset = [&](unsigned lane) { return memory.addresses[lane] - line; };
    alignas(64) std::byte bytes[kLineBytes] = {};  // whole words travel, so their other bytes need a defined value
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
        if (parts_.private_memory.companion() == nullptr) { return store_in_l1(access, mask, bytes, now); }
        access.as_vector = is_vector(memory, line);
        return store_private(access, mask, bytes, now);
    }
    parts_.l1.store(access, mask, bytes, parts_.order.store_tag(memory.context));
    parts_.order.begin_store(memory.context);
    return true;
}

bool L1Accesses::store_in_l1(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now) {
    const L1StoreResult result = parts_.l1.store_local(access, mask, bytes, parts_.order.store_tag(access.warp));
    if (result.answer == L1Answer::stall) { return head_.block(result.failure, now); }
    if (result.answer == L1Answer::miss) { parts_.order.begin_store(access.warp); }
    return true;
}

bool L1Accesses::atomic_line(const QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    if (!parts_.l1.can_write()) { return head_.block(ReservationFailure::miss_queue_full, now); }
    const MemoryInstruction& memory = entry.memory;
    const isa::Instruction& instruction = *memory.instruction;
    const bool returns = instruction.operation == isa::Operation::atomic;
    const auto count = static_cast<unsigned>(std::popcount(lanes));
    const AtomicRequest request{.line = line,
                                .tag = returns ? head_.load : parts_.order.store_tag(memory.context),
                                .op = instruction.atomic,
                                .type = instruction.type,
                                .returns_value = returns,
                                .lanes = static_cast<std::uint8_t>(count)};
    const L1Access access{.line = line,
                          .pc = memory.pc,
                          .warp = memory.context,
                          .client = Client::demand,
                          .sectors = parts_.l1.sectored() ? sectors_accessed(memory, lanes) : kAllSectors};
    if (parts_.private_memory.covers(line) &&
        !(parts_.private_memory.companion()->give_up(line) && parts_.l1.can_write())) [[unlikely]] {
        return head_.block(ReservationFailure::miss_queue_full, now);
    }
    if (parts_.l1.keeps_stores_to(line)) [[unlikely]] {
        if (const L1StoreResult clean = parts_.l1.clean_for_atomic(access); clean.answer == L1Answer::stall) {
            return head_.block(clean.failure, now);
        }
    }
    std::byte* place = parts_.l1.atomic(access, sizeof request + count * sizeof(AtomicLane));
    std::memcpy(place, &request, sizeof request);
    place += sizeof request;
    for (const unsigned lane : SetBits(lanes)) {
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
        ++parts_.loads[head_.load].outstanding;
    } else {
        parts_.order.begin_store(memory.context);
    }
    return true;
}

/// Whether all active lanes access whole words of the line, which has one word of each thread. Values that the
/// finaliser has split into words (isa::local_memory_offset) come as accesses of one word each, which may be vectors.
bool L1Accesses::is_vector(const MemoryInstruction& memory, std::uint64_t line) const {
    return isa::lane_bytes(*memory.instruction) == 4 && queue_.front().memory.elements <= 1 &&
           (memory.active & ~lanes_in_line(memory.addresses, line)) == 0;
}

bool L1Accesses::load_private(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now) {
    const L1Access access{.line = line,
                          .pc = entry.memory.pc,
                          .warp = entry.memory.context,
                          .client = Client::demand,
                          .as_vector = is_vector(entry.memory, line)};
    if (const isa::LaneMask served = parts_.private_memory.load(access, head_.load, lanes, now); served != 0) {
        entry.global &= ~served;
        if (served != lanes) {  // the rest is another access
            ++parts_.counters.global_accesses;
            head_.accesses.line();
        }
        return served == lanes;
    }
    const isa::LaneMask before = entry.global;
    const bool done = load(entry, line, lanes, now, {.load = head_.load, .as_vector = access.as_vector});
    if (const isa::LaneMask taken = done ? lanes : before & ~entry.global; taken != 0) {
        parts_.private_memory.missed(access, head_.load, taken, now);
    }
    return done;
}

bool L1Accesses::store_private(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now) {
    alignas(64) std::byte own[kLineBytes] = {};
    const L1Companion::StoreResult result = parts_.private_memory.companion()->store(access, mask, bytes, own);
    switch (result.answer) {
        case L1Companion::StoreAnswer::absorbed:
            return true;
        case L1Companion::StoreAnswer::stalled:
            return head_.block(ReservationFailure::miss_queue_full, now);
        case L1Companion::StoreAnswer::passed:
            break;
    }
    const ByteMask for_l1 = without(mask, bytes_of_words(result.absorbed));
    copy_bytes(own, bytes, for_l1);
    if (!store_in_l1(access, for_l1 | bytes_of_words(result.with_it), own, now)) { return false; }
    parts_.private_memory.companion()->passed(access.line, words_of(for_l1) | result.with_it);
    return true;
}

}  // namespace lookahead::gpu
