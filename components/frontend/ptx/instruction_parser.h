#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/function_scope.h"
#include "components/frontend/ptx/instruction_form.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::ptx {

/// Parses the instructions of one function. All members throw Problem.
class InstructionParser {
  public:
    InstructionParser(Cursor& cursor, FunctionScope& scope, const Module& module, Function& function)
        : cursor_(cursor), scope_(scope), module_(module), function_(function) {}

    /// Parses the instruction at the cursor, with its semicolon, and appends it to the function.
    void parse();

  private:
    Instruction parse_untexted();
    std::optional<Guard> parse_guard();
    std::vector<std::string_view> parse_modifiers();
    void parse_branch(Instruction& instruction);
    void parse_indexed_branch(Instruction& instruction);
    void parse_call(Instruction& instruction);
    Operand call_list();
    Operand call_argument();
    Operand callee();
    void use_label(std::string_view label, std::uint32_t operand, std::optional<std::uint32_t> element);

    Cursor& cursor_;
    FunctionScope& scope_;
    const Module& module_;
    Function& function_;
};

}  // namespace lookahead::ptx
