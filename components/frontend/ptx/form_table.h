#pragma once

#include <span>
#include <string_view>

#include "components/frontend/ptx/opcode.h"

namespace lookahead::ptx {

/// One row of the instruction table, in the notation that form_table.cpp explains.
struct FormRow {
    std::string_view mnemonic;
    Opcode opcode;
    std::string_view modifiers;
    std::string_view operands;
};

/// The instruction table, unsorted but grouped by mnemonic.
std::span<const FormRow> form_rows();

}  // namespace lookahead::ptx
