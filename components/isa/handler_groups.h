#pragma once

#include <algorithm>
#include <initializer_list>

#include "components/isa/handlers.h"

/// Internal to components/isa: the handlers of each file of semantics; nullptr for instructions of other files.
namespace lookahead::isa {

AluHandler select_move(const InstructionForm& instruction);
AluHandler select_integer(const InstructionForm& instruction);
AluHandler select_float(const InstructionForm& instruction);
AluHandler select_half(const InstructionForm& instruction);
AluHandler select_approximate(const InstructionForm& instruction);
AluHandler select_logic(const InstructionForm& instruction);
AluHandler select_bit_field(const InstructionForm& instruction);
AluHandler select_compare(const InstructionForm& instruction);
AluHandler select_predicate(const InstructionForm& instruction);
AluHandler select_convert(const InstructionForm& instruction);
AluHandler select_warp(const InstructionForm& instruction);
AluHandler select_native(const InstructionForm& instruction);

/// A row of a table of handlers.
struct OperationHandler {
    Operation operation;
    AluHandler handler;
};
/// The operation's handler in the table; nullptr if it has none.
inline AluHandler handler_in(std::initializer_list<OperationHandler> table, Operation operation) {
    const auto* const row = std::ranges::find(table, operation, &OperationHandler::operation);
    return row == table.end() ? nullptr : row->handler;
}

}  // namespace lookahead::isa
