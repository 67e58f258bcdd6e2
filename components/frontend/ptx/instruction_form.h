#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/ptx/modifiers.h"
#include "components/frontend/ptx/opcode.h"

namespace lookahead::ptx {

/// Modifiers that exclude each other, such as the roundings; an instruction has one of them, or none if optional.
struct ModifierGroup {
    std::string_view kind;  ///< the meaning of the words; see modifier_groups.cpp
    std::vector<std::string_view> words;
    bool optional = false;
    bool repeated = false;  ///< any number of them (hints)
};

/// The operands that a place of a form accepts.
enum class OperandShape : std::uint8_t {
    destination,       ///< register or _
    destination_pair,  ///< register, or register|predicate
    source,            ///< register or constant
    flexible_source,   ///< register, constant, special register (cvt)
    constant,
    value,  ///< register or constant or, with .v2 and .v4, a vector of them (ld, st)
    value_destination,
    address,
    variable_address,  ///< register or symbol + offset (cvta)
    texture,
    texture_result,  ///< vector of as many registers as the instruction's vector width
    texture_value,   ///< vector of as many values (sust)
};

struct OperandPlace {
    OperandShape shape = OperandShape::source;
    std::string_view type;  ///< "T", "U", "V": the form's 1st to 3rd type; "W": twice as wide as T; "A": the
                            ///< type of an address; else a type's name
    bool wider = false;     ///< a register wider than the type is allowed (ld, st, cvt)
    bool optional = false;  ///< only after all others
};

/// One line of the PTX ISA's syntax: an opcode with the modifiers and the operands that go together.
struct InstructionForm {
    std::string_view mnemonic;  ///< the word before the first dot
    Opcode opcode;
    std::vector<ModifierGroup> groups;
    std::vector<OperandPlace> operands;
    bool custom_operands = false;  ///< mov, bra, brx, call: checked by code of their own

    /// Whether `count` operands can be given.
    bool takes(std::size_t count) const;
    /// "add{.sat}.s32", for messages.
    std::string syntax() const;
};

/// All forms, grouped by mnemonic.
std::span<const InstructionForm> instruction_forms(std::string_view mnemonic);

/// "abs, add, ...": every mnemonic of the table, for messages.
std::string supported_mnemonics();

/// A form of the instruction table and the modifiers in its meaning.
struct FormMatch {
    const InstructionForm* form = nullptr;
    Modifiers modifiers;
};

/// Finds the form of `mnemonic` that takes these modifiers (without their dots, in any order) and `operands` operands.
/// Throws Problem, which lists the existing forms, if there is none.
FormMatch match_form(std::string_view mnemonic, const std::vector<std::string_view>& modifiers, std::size_t operands,
                     std::uint32_t line);

/// Whether the instruction table may name groups of this kind.
bool is_modifier_kind(std::string_view kind);

/// Whether a group of `kind` knows the meaning of `word`.
bool is_modifier_word(std::string_view kind, std::string_view word);

/// Sets the meaning of `word` in a group of `kind` in `modifiers`. Types fill Modifiers::types in order.
void apply_modifier(std::string_view kind, std::string_view word, Modifiers& modifiers);

}  // namespace lookahead::ptx
