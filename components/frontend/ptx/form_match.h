#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "components/frontend/ptx/instruction_form.h"
#include "components/frontend/ptx/modifiers.h"

namespace lookahead::ptx {

/// A form of the instruction table and the modifiers in its meaning.
struct FormMatch {
    const InstructionForm* form = nullptr;
    Modifiers modifiers;
};

/// Finds the form of `mnemonic` that takes these modifiers (without their dots, in any order) and `operands` operands.
/// Throws Problem with the existing forms.
FormMatch match_form(std::string_view mnemonic, const std::vector<std::string_view>& modifiers, std::size_t operands,
                     std::uint32_t line);

}  // namespace lookahead::ptx
