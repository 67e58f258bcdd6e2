#include "components/sm/lsu/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "components/isa/instruction.h"
#include "components/isa/memory_access.h"
#include "components/sm/lsu/lane_data.h"
#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(SharedMemoryParameters, "shared_memory", "The shared memory of an SM.")

namespace {

constexpr unsigned kMaximumBanks = 64;

/// Whether the accesses lie within as many successive words as there are banks, so that no bank has two words.
bool is_within_banks(const MemoryInstruction& access, unsigned bytes, unsigned bank_mask) {
    const AddressSpread spread = spread_of(access.addresses);
    if (spread.bytes() > 4 * bank_mask) { return false; }
    const std::uint64_t begin = access.shared_base + access.addresses[0] + static_cast<std::uint64_t>(spread.least);
    return (begin + spread.bytes() + bytes - 1) / 4 - begin / 4 <= bank_mask;
}

/// The 32-bit words that the lanes access, lane by lane.
struct AccessedWords {
    AccessedWords(const MemoryInstruction& access, isa::LaneMask lanes, unsigned bytes) {
        const auto word_of = [&](unsigned lane) {
            return static_cast<std::uint32_t>((access.shared_base + access.addresses[lane]) / 4);
        };
        if (lanes == isa::kFullMask && bytes <= 4) {
            for (count = 0; count < isa::kWarpSize; ++count) { words[count] = word_of(count); }
            return;
        }
        for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
            const std::uint32_t first = word_of(static_cast<unsigned>(std::countr_zero(left)));
            for (unsigned word = 0; word < (bytes + 3) / 4; ++word) { words[count++] = first + word; }
        }
    }

    unsigned count = 0;
    std::uint32_t words[isa::kWarpSize * kMaximumRows];
};

/// The most different words that a bank must deliver, found as the banks do it: in each round every bank delivers the
/// word that was asked for last to all lanes that want it, and these are done.
unsigned most_words_of_a_bank(AccessedWords& accessed, unsigned bank_mask) {
    std::uint32_t word_of_bank[kMaximumBanks];  // only written elements are read
    unsigned rounds = 0;
    while (accessed.count > 0) {
        for (unsigned i = 0; i < accessed.count; ++i) {
            word_of_bank[accessed.words[i] & bank_mask] = accessed.words[i];
        }
        unsigned left = 0;
        for (unsigned i = 0; i < accessed.count; ++i) {
            const std::uint32_t word = accessed.words[i];
            accessed.words[left] = word;
            left += word_of_bank[word & bank_mask] != word;
        }
        accessed.count = left;
        ++rounds;
    }
    return rounds;
}

unsigned most_accesses_of_a_bank(const AccessedWords& accessed, unsigned bank_mask) {
    std::uint8_t accesses[kMaximumBanks] = {};
    std::uint8_t most = 0;
    for (unsigned i = 0; i < accessed.count; ++i) { most = std::max(most, ++accesses[accessed.words[i] & bank_mask]); }
    return most;
}

}  // namespace

SharedMemory::SharedMemory(const SharedMemoryParameters& parameters, std::uint32_t bytes)
    : bank_mask_(static_cast<unsigned>(parameters.banks) - 1), latency_(parameters.latency), bytes_(bytes) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(parameters.banks))) {
        throw ConfigurationError("shared_memory.banks = {} must be a power of two", parameters.banks);
    }
}

[[gnu::hot]] unsigned SharedMemory::conflict_degree(const MemoryInstruction& access, isa::LaneMask lanes) const {
    const isa::Instruction& instruction = *access.instruction;
    const bool atomic = is_atomic(instruction);
    const unsigned bytes = isa::lane_bytes(instruction);
    if (!atomic && is_within_banks(access, bytes, bank_mask_)) { return 1; }
    AccessedWords accessed(access, lanes, bytes);
    return atomic ? most_accesses_of_a_bank(accessed, bank_mask_) : most_words_of_a_bank(accessed, bank_mask_);
}

[[gnu::hot]] void SharedMemory::perform(const MemoryInstruction& access, isa::LaneMask lanes,
                                        std::uint32_t* const* rows) {
    const isa::Instruction& instruction = *access.instruction;
    auto* base = reinterpret_cast<std::byte*>(bytes_.data()) + access.shared_base;
    const auto offset = [&](unsigned lane) { return access.addresses[lane]; };
    if (lanes == isa::kFullMask && is_plain_word(instruction) && !is_atomic(instruction) &&
        are_consecutive_words(access.addresses)) {
        if (instruction.operation == isa::Operation::load) {
            std::memcpy(rows[0], base + access.addresses[0], kLineBytes);
        } else {
            std::memcpy(base + access.addresses[0], access.data[0], kLineBytes);
        }
        return;
    }
    if (is_atomic(instruction)) {
        perform_atomics(access, lanes, rows);
    } else if (instruction.operation == isa::Operation::load) {
        write_lanes(instruction, lanes, base, offset, rows);
    } else {
        read_lanes(instruction, lanes, base, offset, access.data);
    }
}

namespace {

/// The most frequent atomic of shared memory.
bool adds_words(const isa::Instruction& instruction) {
    return instruction.atomic == isa::AtomicOp::add &&
           (instruction.type == isa::Type::u32 || instruction.type == isa::Type::s32);
}

/// `old_values`: a row for the words' old values, or null.
void add_words(const MemoryInstruction& access, isa::LaneMask lanes, unsigned char* base, std::uint32_t* old_values) {
    for (const unsigned lane : SetBits(lanes)) {
        std::uint32_t word;
        std::memcpy(&word, base + access.addresses[lane], sizeof word);
        if (old_values != nullptr) { old_values[lane] = word; }
        word += access.data[0][lane];
        std::memcpy(base + access.addresses[lane], &word, sizeof word);
    }
}

}  // namespace

void SharedMemory::perform_atomics(const MemoryInstruction& access, isa::LaneMask lanes, std::uint32_t* const* rows) {
    const isa::Instruction& instruction = *access.instruction;
    if (adds_words(instruction)) {
        return add_words(access, lanes, bytes_.data() + access.shared_base,
                         instruction.operation == isa::Operation::atomic ? rows[0] : nullptr);
    }
    const unsigned bytes = isa::type_bytes(instruction.type);
    for (const unsigned lane : SetBits(lanes)) {
        unsigned char* place = bytes_.data() + access.shared_base + access.addresses[lane];
        std::uint64_t old_value = 0;
        std::memcpy(&old_value, place, bytes);
        const std::uint64_t new_value = isa::apply_atomic(
            instruction.atomic, instruction.type, old_value, atomic_operand(instruction, lane, &access.data[0]),
            atomic_operand(instruction, lane, &access.data[2]), isa::Space::shared);
        std::memcpy(place, &new_value, bytes);
        if (instruction.operation == isa::Operation::atomic) {
            isa::write_loaded(instruction, lane, reinterpret_cast<const std::byte*>(&old_value), rows);
        }
    }
}

}  // namespace lookahead::gpu
