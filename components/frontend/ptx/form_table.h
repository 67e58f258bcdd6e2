#pragma once

#include <span>
#include <string_view>

#include "components/frontend/ptx/opcode.h"

namespace lookahead::ptx {

/// One form of an instruction, in the notation that form_table.cpp explains.
struct FormRow {
    Opcode opcode;
    std::string_view modifiers;
    std::string_view operands;

    /// The word with which the instruction begins.
    std::string_view mnemonic() const { return name_of(opcode).substr(0, name_of(opcode).find('.')); }
};

/// The instruction table, unsorted but grouped by mnemonic.
std::span<const FormRow> form_rows();

}  // namespace lookahead::ptx
