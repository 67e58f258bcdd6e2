#include "components/emulator/memory_unit.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "components/isa/memory_access.h"
#include "core/bits/set_bits.h"

namespace lookahead {
namespace {

using isa::kWarpSize;
using isa::LaneMask;
using isa::Space;

/// Whether all addresses are multiples of `alignment` and have room for `bytes` in [begin, begin + size).
bool all_inside(const std::uint64_t* addresses, std::uint64_t begin, std::uint64_t size, std::uint64_t bytes) {
    if (size < bytes) { return false; }
    const std::uint64_t last = size - bytes;
    std::uint64_t outside = 0, low_bits = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        outside |= addresses[lane] - begin > last ? ~std::uint64_t{0} : 0;
        low_bits |= addresses[lane];
    }
    return (outside | (low_bits & (bytes - 1))) == 0;
}

/// Calls `copy(lane)` for the active lanes; if all are, in a plain loop.
void for_active_lanes(LaneMask active, auto copy) {
    if (active == isa::kFullMask) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) { copy(lane); }
    } else {
        isa::for_each_lane(active, copy);
    }
}

/// Loads the words of each lane into destination rows 0 to kWords - 1.
template <unsigned kWords>
void gather(const std::byte* base, const std::uint64_t* offset, std::uint32_t* destination, LaneMask active) {
    for_active_lanes(active, [=](unsigned lane) {
        for (unsigned i = 0; i < kWords; ++i) {
            std::memcpy(&destination[i * kWarpSize + lane], base + offset[lane] + 4 * i, 4);
        }
    });
}

template <unsigned kWords>
void scatter(std::byte* base, const std::uint64_t* offset, const std::uint32_t* source, LaneMask active) {
    for_active_lanes(active, [=](unsigned lane) {
        for (unsigned i = 0; i < kWords; ++i) {
            std::memcpy(base + offset[lane] + 4 * i, &source[i * kWarpSize + lane], 4);
        }
    });
}

/// Calls `visit(words)` with the number of words of `bytes` bytes as a constant.
void with_words(unsigned bytes, auto visit) {
    switch (bytes) {
        case 4:
            return visit(std::integral_constant<unsigned, 1>());
        case 8:
            return visit(std::integral_constant<unsigned, 2>());
        case 16:
            return visit(std::integral_constant<unsigned, 4>());
        case 32:
            return visit(std::integral_constant<unsigned, 8>());
        default:
            return visit(std::integral_constant<unsigned, isa::kMostOperandRows>());
    }
}

/// Rows of a load's or store's data, for the functions on one lane.
template <class Word>
std::array<Word*, isa::kMostOperandRows> rows_from(Word* first) {
    std::array<Word*, isa::kMostOperandRows> rows{};
    for (unsigned i = 0; i < rows.size(); ++i) { rows[i] = first + i * kWarpSize; }
    return rows;
}

/// The value at an atomic's address. A copy of a constant length is one instruction; one of a variable length is a
/// string instruction, after which no other part of a scattered access overlaps.
std::uint64_t place_value(const std::byte* at, unsigned bytes) {
    const auto read = [at]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return std::uint64_t{value};
    };
    switch (bytes) {
        case 2:
            return read(std::uint16_t{});
        case 4:
            return read(std::uint32_t{});
        default:
            return read(std::uint64_t{});
    }
}

void set_place_value(std::byte* at, unsigned bytes, std::uint64_t value) {
    const auto write = [at](auto narrow) { std::memcpy(at, &narrow, sizeof narrow); };
    switch (bytes) {
        case 2:
            return write(static_cast<std::uint16_t>(value));
        case 4:
            return write(static_cast<std::uint32_t>(value));
        default:
            return write(value);
    }
}

bool is_inside(const std::vector<std::byte>& memory, const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(memory.data()) < memory.size();
}

std::uint64_t lane_value(const std::uint32_t* low, const std::uint32_t* high, unsigned lane, unsigned bytes) {
    return bytes == 8 ? low[lane] | std::uint64_t{high[lane]} << 32 : low[lane];
}

/// The components of a vector memory instruction's addresses, read before anything is written.
class ElementAddresses {
  public:
    ElementAddresses(const EmulatedInstruction& decoded, const std::uint32_t* frame)
        : instruction_(*decoded.instruction) {
        const unsigned pattern = isa::pattern_source(instruction_.operation);
        const unsigned rows = instruction_.source[pattern].rows;
        std::memcpy(low_, frame + decoded.source[0], sizeof low_);
        if (instruction_.source[0].rows > 1 || instruction_.dequeues) {
            std::memcpy(high_, frame + decoded.source[0] + kWarpSize, sizeof high_);
        }
        std::memcpy(pattern_, frame + decoded.source[pattern], rows * sizeof pattern_[0]);
    }

    void of(unsigned element, std::uint64_t* addresses) const {
        const unsigned row = isa::is_strided(instruction_.operation) ? 0 : element;
        isa::compute_element_addresses(instruction_, element, low_, high_, pattern_[row], addresses);
    }

  private:
    const isa::Instruction& instruction_;
    std::uint32_t low_[kWarpSize], high_[kWarpSize];
    std::uint32_t pattern_[isa::kMostOperandRows][kWarpSize];
};

}  // namespace

void MemoryUnit::begin_cta(std::uint64_t shared_bytes, std::uint64_t local_bytes, std::uint64_t threads) {
    shared_.assign(shared_bytes, std::byte{0});
    local_.assign(local_bytes * threads, std::byte{0});
    local_bytes_ = local_bytes;
}

std::byte* MemoryUnit::host_address(const EmulatedInstruction& decoded, std::uint64_t address, std::uint32_t thread) {
    const auto inside = [&decoded](std::uint64_t offset, std::uint64_t size) {
        return size >= decoded.lane_bytes && offset <= size - decoded.lane_bytes;
    };
    const auto shared_at = [&](std::uint64_t offset) {
        return inside(offset, shared_.size()) ? shared_.data() + offset : nullptr;
    };
    const auto local_at = [&](std::uint64_t offset) {
        return inside(offset, local_bytes_) ? local_.data() + thread * local_bytes_ + offset : nullptr;
    };
    const Space space = decoded.instruction->space;
    if (space == Space::shared) { return shared_at(address); }
    if (space == Space::local) { return local_at(address); }
    if (space == Space::generic) {
        if (address - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
            return shared_at(address - isa::kSharedWindowBase);
        }
        if (address - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
            return local_at(address - isa::kLocalWindowBase);
        }
    }
    return allocator_.is_mapped(address, decoded.lane_bytes) ? global_.at(address) : nullptr;
}

void MemoryUnit::resolve_lanes(const EmulatedInstruction& decoded, LaneMask active, const ExecutionPlace& place,
                               unsigned element, Access& access) {
    access.base = nullptr;
    for (const unsigned lane : SetBits(active)) {
        const std::uint64_t address = access.offset[lane];
        if (address % decoded.lane_bytes != 0) { throw_misaligned_address(place, lane, address, element); }
        std::byte* const host = host_address(decoded, address, place.first_thread + lane);
        if (host == nullptr) { throw_illegal_address(place, lane, address, allocator_, element); }
        access.offset[lane] = reinterpret_cast<std::uintptr_t>(host);
    }
}

bool MemoryUnit::resolve_global(EmulatedInstruction& decoded, Access& access) const {
    if (!all_inside(access.offset, decoded.allocation, decoded.allocation_bytes, decoded.lane_bytes)) {
        const Allocator::Block* const block = allocator_.find(access.offset[0]);
        if (block == nullptr || !all_inside(access.offset, block->address, block->bytes, decoded.lane_bytes)) {
            return false;
        }
        decoded.allocation = block->address;
        decoded.allocation_bytes = block->bytes;
    }
    access.base = global_.base() - isa::kGlobalBase;
    return true;
}

namespace {

void addresses_of(const EmulatedInstruction& decoded, const std::uint32_t* frame, LaneMask active,
                  std::uint64_t* addresses) {
    const auto row = [&](unsigned source, unsigned word) { return frame + decoded.source[source] + word * kWarpSize; };
    const isa::Instruction& instruction = *decoded.instruction;
    isa::compute_addresses(instruction, row(0, 0), row(0, 1), active, addresses);
    if (instruction.source[3].kind == isa::Operand::Kind::none) [[likely]] { return; }
    isa::add_base(instruction, row(0, 0), row(3, 0), row(3, 1), active, addresses);
}

}  // namespace

void MemoryUnit::resolve(EmulatedInstruction& decoded, const std::uint32_t* frame, LaneMask active,
                         const ExecutionPlace& place, AccessObserver::Kind kind, Access& access) {
    addresses_of(decoded, frame, isa::kFullMask, access.offset);
    resolve_addresses(decoded, active, place, 0, access);
    if (observer_ != nullptr) { report(decoded, frame, active, place, kind, access); }
}

void MemoryUnit::resolve_addresses(EmulatedInstruction& decoded, LaneMask active, const ExecutionPlace& place,
                                   unsigned element, Access& access) {
    if (active != isa::kFullMask) {
        const std::uint64_t shared_by_inactive = access.offset[std::countr_zero(active)];
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            access.offset[lane] = (active >> lane & 1) ? access.offset[lane] : shared_by_inactive;
        }
    }
    const Space space = decoded.instruction->space;
    if (space == Space::shared) {
        access.base = shared_.data();
        if (all_inside(access.offset, 0, shared_.size(), decoded.lane_bytes)) { return; }
    } else if (space != Space::local && resolve_global(decoded, access)) {
        return;
    }
    resolve_lanes(decoded, active, place, element, access);
}

void MemoryUnit::report(const EmulatedInstruction& decoded, const std::uint32_t* frame, LaneMask active,
                        const ExecutionPlace& place, AccessObserver::Kind kind, const Access& access) const {
    std::uint64_t addresses[kWarpSize];
    addresses_of(decoded, frame, isa::kFullMask, addresses);
    report_addresses(decoded, addresses, active, place, kind);
    if (kind != AccessObserver::Kind::atomic) { report_private(decoded, frame, active, place, kind, access); }
}

void MemoryUnit::report_private(const EmulatedInstruction& decoded, const std::uint32_t* frame, LaneMask active,
                                const ExecutionPlace& place, AccessObserver::Kind kind, const Access& access) const {
    const isa::Instruction& instruction = *decoded.instruction;
    const bool generic = instruction.space == Space::generic;
    if ((!generic && instruction.space != Space::local) || decoded.lane_bytes > sizeof(std::uint32_t)) { return; }
    std::uint64_t offsets[kWarpSize];
    std::uint32_t values[kWarpSize] = {};
    addresses_of(decoded, frame, active, offsets);
    LaneMask lanes = 0;
    for (const unsigned lane : SetBits(active)) {
        offsets[lane] -= generic ? isa::kLocalWindowBase : 0;
        if (generic && offsets[lane] >= isa::kLocalWindowBytes) { continue; }
        lanes |= LaneMask{1} << lane;
        auto* const value = reinterpret_cast<std::byte*>(&values[lane]);
        if (kind == AccessObserver::Kind::read) {
            std::memcpy(value, access.base + access.offset[lane], decoded.lane_bytes);
        } else {
            isa::read_stored(instruction, lane, rows_from(frame + decoded.source[1]).data(), value);
        }
    }
    if (lanes != 0) { observer_->private_access(place, lanes, kind, offsets, values, decoded.lane_bytes); }
}

void MemoryUnit::report_addresses(const EmulatedInstruction& decoded, const std::uint64_t* addresses, LaneMask active,
                                  const ExecutionPlace& place, AccessObserver::Kind kind) const {
    const Space space = decoded.instruction->space;
    if (space == Space::local) { return; }
    for (const unsigned lane : SetBits(active)) {
        const std::uint64_t address = addresses[lane] + (space == Space::shared ? isa::kSharedWindowBase : 0);
        if (address - isa::kLocalWindowBase < isa::kLocalWindowBytes) { continue; }
        observer_->access(place, lane, kind, address, decoded.lane_bytes);
    }
}

void MemoryUnit::execute(EmulatedInstruction& decoded, std::uint32_t* frame, LaneMask active,
                         const ExecutionPlace& place) {
    const isa::Operation operation = decoded.instruction->operation;
    if (isa::is_vector_memory(operation)) { return move_elements(decoded, frame, active, place); }
    switch (operation) {
        case isa::Operation::load:
            return load(decoded, frame, active, place);
        case isa::Operation::store:
            return store(decoded, frame, active, place);
        case isa::Operation::texture:
            return texture(decoded, frame, active, place);
        default:
            return atomic(decoded, frame, active, place);
    }
}

void MemoryUnit::load(EmulatedInstruction& decoded, std::uint32_t* frame, LaneMask active,
                      const ExecutionPlace& place) {
    Access access;
    resolve(decoded, frame, active, place, AccessObserver::Kind::read, access);
    std::uint32_t* const destination = frame + decoded.destination;
    const isa::Instruction& instruction = *decoded.instruction;
    if (isa::type_bytes(instruction.type) >= 4) {
        return with_words(decoded.lane_bytes, [&](auto words) {
            gather<decltype(words)::value>(access.base, access.offset, destination, active);
        });
    }
    const auto rows = rows_from(destination);
    isa::for_each_lane(active, [&](unsigned lane) {
        isa::write_loaded(instruction, lane, access.base + access.offset[lane], rows.data());
    });
}

inline void MemoryUnit::note_change(const std::byte* at, bool changes) {
    changed_ |= changes;
    changed_for_others_ |= changes && !is_inside(local_, at);
}

void MemoryUnit::note_changes(const isa::Instruction& instruction, const std::uint32_t* source, const Access& access,
                              LaneMask active) {
    const auto rows = rows_from(source);
    std::array<std::byte, 4 * isa::kMostOperandRows> bytes{};
    isa::for_each_lane(active, [&](unsigned lane) {
        const std::byte* const at = access.base + access.offset[lane];
        isa::read_stored(instruction, lane, rows.data(), bytes.data());
        note_change(at, std::memcmp(bytes.data(), at, isa::lane_bytes(instruction)) != 0);
    });
}

void MemoryUnit::store(EmulatedInstruction& decoded, std::uint32_t* frame, LaneMask active,
                       const ExecutionPlace& place) {
    Access access;
    resolve(decoded, frame, active, place, AccessObserver::Kind::write, access);
    const std::uint32_t* const source = frame + decoded.source[1];
    const isa::Instruction& instruction = *decoded.instruction;
    if (watches_) { note_changes(instruction, source, access, active); }
    if (isa::type_bytes(instruction.type) >= 4) {
        return with_words(decoded.lane_bytes, [&](auto words) {
            scatter<decltype(words)::value>(access.base, access.offset, source, active);
        });
    }
    const auto rows = rows_from(source);
    isa::for_each_lane(active, [&](unsigned lane) {
        isa::read_stored(instruction, lane, rows.data(), access.base + access.offset[lane]);
    });
}

void MemoryUnit::move_elements(EmulatedInstruction& decoded, std::uint32_t* frame, LaneMask active,
                               const ExecutionPlace& place) {
    const bool loads = isa::is_load(decoded.instruction->operation);
    const ElementAddresses addresses(decoded, frame);
    for (unsigned element = 0; element < decoded.instruction->vector; ++element) {
        Access access;
        addresses.of(element, access.offset);
        if (observer_ != nullptr) {
            report_addresses(decoded, access.offset, active, place,
                             loads ? AccessObserver::Kind::read : AccessObserver::Kind::write);
        }
        resolve_addresses(decoded, active, place, element, access);
        std::uint32_t* const row = frame + (loads ? decoded.destination : decoded.source[1]) + element * kWarpSize;
        if (loads) {
            gather<1>(access.base, access.offset, row, active);
            continue;
        }
        isa::for_each_lane(watches_ ? active : 0, [&](unsigned lane) {
            const std::byte* const at = access.base + access.offset[lane];
            note_change(at, std::memcmp(&row[lane], at, 4) != 0);
        });
        scatter<1>(access.base, access.offset, row, active);
    }
}

void MemoryUnit::atomic(EmulatedInstruction& decoded, std::uint32_t* frame, LaneMask active,
                        const ExecutionPlace& place) {
    Access access;
    resolve(decoded, frame, active, place, AccessObserver::Kind::atomic, access);
    const isa::Instruction& instruction = *decoded.instruction;
    const unsigned bytes = decoded.lane_bytes;
    const bool returns = instruction.operation == isa::Operation::atomic && instruction.destination_rows != 0;
    const auto operand = [&](unsigned source, unsigned lane) {
        return lane_value(frame + decoded.source[source], frame + decoded.source[source] + isa::kWarpSize, lane, bytes);
    };
    // Prefetches all lanes' bytes at once: scattered ones would otherwise be waited for one by one.
    for (const std::uint64_t offset : access.offset) { __builtin_prefetch(access.base + offset, 1); }
    for (const unsigned lane : SetBits(active)) {
        std::byte* const at = access.base + access.offset[lane];
        const std::uint64_t old_value = place_value(at, bytes);
        const Space space = is_inside(shared_, at) ? Space::shared : Space::global;
        const std::uint64_t new_value = isa::apply_atomic(instruction.atomic, instruction.type, old_value,
                                                          operand(1, lane), operand(2, lane), space);
        set_place_value(at, bytes, new_value);
        note_change(at, new_value != old_value);
        if (!returns) { continue; }
        frame[decoded.destination + lane] = static_cast<std::uint32_t>(old_value);
        if (bytes == 8) {
            frame[decoded.destination + isa::kWarpSize + lane] = static_cast<std::uint32_t>(old_value >> 32);
        }
    }
}

}  // namespace lookahead
