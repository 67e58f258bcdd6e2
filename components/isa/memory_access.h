#pragma once

#include <cstddef>
#include <cstdint>

#include "components/isa/instruction_form.h"
#include "components/isa/lane_mask.h"
#include "components/isa/modes.h"

namespace lookahead::isa {

struct Instruction;

/// Bytes that a lane of a memory instruction accesses: element bytes x vector, also for vector memory instructions.
constexpr unsigned lane_bytes(const InstructionForm& instruction) {
    return type_bytes(instruction.type) * instruction.vector;
}

/// The entry that an access takes if it dequeues its address. Loads of shared memory have no line to request: they take
/// their address alone, as stores do.
constexpr QueueMode queue_entry_of(const InstructionForm& access) {
    return access.operation == Operation::load && access.space != Space::shared ? QueueMode::data : QueueMode::address;
}

/// Per-lane byte addresses of a memory instruction: source[0]'s value (32 or 64 bits, by its rows) plus offset; with 32
/// bits the sum has 32 bits too and lies in the instruction's address_window. A dequeued address has 64 bits.
/// `addresses` has kWarpSize entries; those of inactive lanes are not written.
void compute_addresses(const Instruction& instruction, const std::uint32_t* low, const std::uint32_t* high,
                       LaneMask active, std::uint64_t* addresses);

/// Adds the uniform base of a native memory instruction's source[3] to the addresses that compute_addresses has made:
/// 32 bits, as in shared memory, or 64 bits, to which the words in `low` are added if source[0] has one row.
void add_base(const Instruction& instruction, const std::uint32_t* low, const std::uint32_t* base_low,
              const std::uint32_t* base_high, LaneMask active, std::uint64_t* addresses);

/// Per-lane byte addresses of element `element` of a vector memory instruction: `low` and `high` as above, `pattern`
/// the lanes' strides, or their indices of that element. All kWarpSize are written.
void compute_element_addresses(const Instruction& instruction, unsigned element, const std::uint32_t* low,
                               const std::uint32_t* high, const std::uint32_t* pattern, std::uint64_t* addresses);

/// Writes the bytes that one lane loaded (lane_bytes, little-endian) to its registers: element i's word(s) go to rows[i
/// * type_rows] (and the next for the high word), extended to 32 bits by the type's sign.
void write_loaded(const InstructionForm& instruction, unsigned lane, const std::byte* bytes,
                  std::uint32_t* const* rows);

/// Reads the bytes that one lane stores (lane_bytes, little-endian) from its registers; the inverse of write_loaded.
void read_stored(const InstructionForm& instruction, unsigned lane, const std::uint32_t* const* rows, std::byte* bytes);

/// New value of an atomic operation on `type` (u32, s32, b32, u64, s64, b64, f32, f64); for cas `operand` is compared
/// and `operand2` stored. Additions of f32 flush subnormal operands and results to zero in global memory and keep them
/// in shared memory (PTX ISA, atom). `space` is the space of the address, also for generic instructions.
std::uint64_t apply_atomic(AtomicOp op, Type type, std::uint64_t old_value, std::uint64_t operand,
                           std::uint64_t operand2, Space space = Space::global);

}  // namespace lookahead::isa
