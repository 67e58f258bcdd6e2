#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/ptx/instruction_form.h"
#include "components/frontend/ptx/module.h"
#include "components/frontend/ptx/problem.h"
#include "components/frontend/ptx/raw_operand.h"

namespace lookahead::ptx {

/// Whether a register of type `reg` may stand where an instruction has type `wanted`: types of one size agree if one
/// of them is untyped bits, if both are integers, or if they are the same. Where `wider` registers are allowed (ld, st
/// and cvt extend and cut), a larger one agrees too, but integers and floating-point numbers do not mix.
/// PTX ISA, section 9.2 "Operand Type Checking" and tables 27 and 28.
bool register_agrees(Type reg, Type wanted, bool wider);

/// Checks operands against the places that an instruction has for them and gives them their types. One fitter serves
/// one instruction. All members throw Problem.
class OperandFitter {
  public:
    /// `instruction` has opcode, modifiers and line; fitted operands are appended to it.
    OperandFitter(const Module& module, const Function& function, Instruction& instruction)
        : module_(module), function_(function), instruction_(instruction) {}

    /// Fits all operands of a form, in order.
    void fit_form(const InstructionForm& form, std::vector<RawOperand>& operands);
    /// Fits the operands of mov: registers, constants, special registers, addresses of symbols, packing and unpacking
    /// of vectors.
    void fit_mov(std::vector<RawOperand>& operands);

    /// The operand as a source (or destination) of `type`; with `wider`, its register may be wider than the type.
    Operand source(const RawOperand& raw, Type type, bool wider = false);
    Operand destination(const RawOperand& raw, Type type, bool wider = false);

  private:
    void fit_place(const InstructionForm& form, const OperandPlace& place, const RawOperand& raw);
    Operand fit_one(const InstructionForm& form, const OperandPlace& place, const RawOperand& raw);
    Operand reg(const Operand& operand, Type type, bool wider);
    Operand immediate(const Literal& literal, Type type);
    Operand value(const RawOperand& raw, std::size_t width, Type type, bool wider, bool is_result);
    Operand vector(const RawOperand& raw, std::size_t width, Type type, bool wider, bool is_destination);
    Operand special(const Operand& operand, Type type);
    Operand symbol(const Operand& operand, Type type);
    Operand address(const InstructionForm& form, const RawOperand& raw);
    Operand texture(const RawOperand& raw);
    Operand mov_source(const RawOperand& raw, Type type);
    Type place_type(std::string_view name, const RawOperand& raw) const;
    Type type_of(const Operand& operand) const;
    StateSpace space_of(const SymbolReference& symbol) const;
    std::string name_of_symbol(const SymbolReference& symbol) const;
    void check_address_width(Type type, StateSpace space) const;
    void append(Operand operand, bool is_destination);
    [[noreturn]] void refuse(std::string message) const { fail(instruction_.line, std::move(message)); }
    template <class First, class... Rest>
    [[noreturn]] void refuse(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) const {
        fail(instruction_.line, format, std::forward<First>(first), std::forward<Rest>(rest)...);
    }

    const Module& module_;
    const Function& function_;
    Instruction& instruction_;
};

}  // namespace lookahead::ptx
