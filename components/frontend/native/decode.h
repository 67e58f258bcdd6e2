#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/native/word.h"
#include "components/isa/issue_control.h"

namespace lookahead::native {

/// A row of opcodes.def.
struct Opcode {
    std::uint16_t number;
    std::string_view name;
    unsigned first, last;
    std::string_view operands;
    std::string_view modifiers;
};

/// A source operand of arithmetic.
struct Source {
    enum class Kind : std::uint8_t { none, reg, uniform, constant, immediate };
    Kind kind = Kind::none;
    std::uint8_t bank = 0;  ///< of a constant
    std::uint32_t value =
        0;                 ///< number of the register (its file's last one reads as 0), byte in the bank, or immediate
    bool negated = false;  ///< or complemented, as its opcode has it
    bool absolute = false;
    /// Of a pair of halves: 0 both, 1 a single as a half, rounded to zero, 2 the lower one for both, 3 the upper one.
    std::uint8_t half = 0;
};

/// An instruction with its operands of arithmetic found.
struct Instruction {
    const Opcode* opcode = nullptr;
    Word word;
    unsigned architecture = 0;
    bool is_uniform = false;  ///< of the uniform unit
    std::uint8_t guard = 7;   ///< predicate, a uniform one for the uniform unit
    bool guard_negated = false;
    Source a, b, c;

    /// The register at the bit; 255 reads as 0.
    std::uint32_t reg(unsigned bit) const { return static_cast<std::uint32_t>(word.bits(bit, 8)); }
    std::uint32_t uniform(unsigned bit) const {
        return static_cast<std::uint32_t>(word.bits(bit, architecture >= 100 ? 8 : 6));
    }
    /// The number of the uniform register that reads as 0.
    std::uint32_t uniform_zero() const { return architecture >= 100 ? 255 : 63; }
    /// Bytes from the instruction after this one to where a branch goes.
    std::int64_t branch_offset() const;
    /// Whether the address in global, shared or local memory has a uniform register, and the bit at which.
    bool has_uniform_address() const { return word.bit(91); }
    unsigned uniform_address_bit() const;
    /// Whether that register is a descriptor of global memory, which adds nothing to the address.
    bool has_descriptor() const;
    /// Whether the register in an address in global or generic memory is a pair.
    bool has_wide_address() const;
    /// Whether a register is added to the place in a constant bank.
    bool has_constant_index() const;
    /// Bytes to add to an address; of a constant bank without an index the place in it.
    std::int64_t address_offset() const;
    /// The bit of the register with what a store stores, or the first operand of an atomic operation.
    unsigned data_bit() const { return is_plain_generic() ? 64 : 32; }

  private:
    /// A generic load or store without a uniform register has a format of its own.
    bool is_plain_generic() const;
};

inline constexpr std::uint32_t kZeroRegister = 255;
inline constexpr std::uint8_t kTrue = 7;

/// What the compiler tells the SM (bits 105 to 125; Mesa's nak and public assemblers).
isa::IssueControl control_of(const Word& word);

/// The instruction; its opcode is null if the table has none of the word for the architecture.
Instruction decode(const Word& word, unsigned architecture);

/// The instruction's text, in the manner of NVIDIA's: "@!P0 IADD3 R4, P1, R2, -R3, RZ". `place`: its address.
std::string text_of(const Instruction& instruction, std::uint64_t place);

/// The rows of opcodes.def.
const std::vector<Opcode>& opcodes();

}  // namespace lookahead::native
