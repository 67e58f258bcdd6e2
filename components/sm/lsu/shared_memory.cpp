#include "components/sm/lsu/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "components/isa/memory_access.h"
#include "components/sm/lsu/lane_data.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(SharedMemoryParameters, "shared_memory", "The shared memory of an SM.")

namespace {

constexpr unsigned kMaximumBanks = 64;

/// Whether the accesses of all lanes lie among as many successive words as there are banks, so that no bank has two.
bool is_within_banks(const MemoryInstruction& access, unsigned bytes, unsigned bank_mask) {
    const AddressSpread spread = spread_of(access.addresses);
    if (spread.bytes() > 4 * bank_mask) {
        return false;
    }
    const std::uint64_t begin = access.shared_base + access.addresses[0] + static_cast<std::uint64_t>(spread.least);
    return (begin + spread.bytes() + bytes - 1) / 4 - begin / 4 <= bank_mask;
}

/// Whether no bank has to give two words: what a bank was last asked for is what every lane asked it for. Most accesses
/// are so (rows, columns of padded tiles, broadcasts), and it takes no search.
bool is_free_of_conflicts(const MemoryInstruction& access, isa::LaneMask lanes, unsigned bank_mask) {
    std::uint32_t word_of_bank[kMaximumBanks];  // read only where it was written
    std::uint32_t words[isa::kWarpSize];
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        words[lane] = static_cast<std::uint32_t>((access.shared_base + access.addresses[lane]) / 4);
    }
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const std::uint32_t word = words[std::countr_zero(left)];
        word_of_bank[word & bank_mask] = word;
    }
    std::uint32_t different = 0;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const std::uint32_t word = words[std::countr_zero(left)];
        different |= word_of_bank[word & bank_mask] ^ word;
    }
    return different == 0;
}

/// The words that each bank has to give.
class BankLoad {
  public:
    explicit BankLoad(unsigned bank_mask) : bank_mask_(bank_mask) {}

    void add(std::uint32_t word, bool shares) {
        const unsigned bank = word & bank_mask_;
        if (shares) {
            for (unsigned i = 0; i < count_[bank]; ++i) {
                if (words_[bank][i] == word) {
                    return;
                }
            }
        }
        words_[bank][count_[bank]++] = word;
        degree_ = std::max<unsigned>(degree_, count_[bank]);
    }
    unsigned degree() const { return degree_; }

  private:
    unsigned bank_mask_;
    unsigned degree_ = 0;
    std::uint8_t count_[kMaximumBanks] = {};
    std::uint32_t words_[kMaximumBanks][isa::kWarpSize * kMaximumRows];  // no need to clear: count_ rules
};

}  // namespace

SharedMemory::SharedMemory(const SharedMemoryParameters& parameters, std::uint32_t bytes)
    : bank_mask_(static_cast<unsigned>(parameters.banks) - 1), latency_(parameters.latency), bytes_(bytes) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(parameters.banks))) {
        throw ConfigurationError("shared_memory.banks = " + std::to_string(parameters.banks) +
                                 " must be a power of two");
    }
}

unsigned SharedMemory::conflict_degree(const MemoryInstruction& access, isa::LaneMask lanes) const {
    const isa::Instruction& instruction = *access.instruction;
    const bool atomic = is_atomic(instruction);
    const unsigned bytes = isa::lane_bytes(instruction);
    if (!atomic && (is_within_banks(access, bytes, bank_mask_) ||
                    (bytes <= 4 && is_free_of_conflicts(access, lanes, bank_mask_)))) {
        return 1;
    }
    BankLoad load(bank_mask_);
    const unsigned words = (bytes + 3) / 4;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t address = access.shared_base + access.addresses[std::countr_zero(left)];
        for (unsigned word = 0; word < words; ++word) {
            load.add(static_cast<std::uint32_t>(address / 4) + word, !atomic);
        }
    }
    return load.degree();
}

void SharedMemory::perform(const MemoryInstruction& access, isa::LaneMask lanes, std::uint32_t* const* rows) {
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

/// The usual atomic of shared memory.
bool adds_words(const isa::Instruction& instruction) {
    return instruction.atomic == isa::AtomicOp::add &&
           (instruction.type == isa::Type::u32 || instruction.type == isa::Type::s32);
}

/// `old_values`: a row for what the words held before, or null.
void add_words(const MemoryInstruction& access, isa::LaneMask lanes, unsigned char* base, std::uint32_t* old_values) {
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::uint32_t word;
        std::memcpy(&word, base + access.addresses[lane], sizeof word);
        if (old_values != nullptr) {
            old_values[lane] = word;
        }
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
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        unsigned char* place = bytes_.data() + access.shared_base + access.addresses[lane];
        std::uint64_t old_value = 0;
        std::memcpy(&old_value, place, bytes);
        const std::uint64_t new_value = isa::apply_atomic(instruction.atomic, instruction.type, old_value,
                                                          atomic_operand(instruction, lane, &access.data[0]),
                                                          atomic_operand(instruction, lane, &access.data[2]),
                                                          isa::Space::shared);
        std::memcpy(place, &new_value, bytes);
        if (instruction.operation == isa::Operation::atomic) {
            isa::write_loaded(instruction, lane, reinterpret_cast<const std::byte*>(&old_value), rows);
        }
    }
}

}  // namespace lookahead::gpu
