#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/layout/layout.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// The shared state of instruction selection: the kernel being made, the place of each PTX register, operand
/// conversion. The functions lower_*.cpp use it for one PTX instruction after another.
class LoweringContext {
  public:
    LoweringContext(const ptx::Module& module, const ptx::Function& function, bool keep_cvta);

    VirtualKernel kernel;

    const ptx::Module& module() const { return module_; }
    const ptx::Function& function() const { return function_; }
    bool keeps_cvta() const { return keep_cvta_; }
    const ptx::Instruction& instruction() const { return *instruction_; }
    const ptx::Modifiers& modifiers() const { return instruction_->modifiers; }
    ptx::Type type() const { return instruction_->type(); }
    const ptx::Operand& destination() const { return instruction_->destinations()[0]; }

    /// Begins a PTX instruction: later emitted instructions come from `instruction` and go to `block`.
    void begin(const ptx::Instruction& instruction, std::uint32_t block);

    /// Throws InputError: place and text of the current instruction, then `reason`.
    [[noreturn]] void refuse(std::string_view reason) const;

    /// An instruction of the current type and arithmetic modifiers.
    VirtualInstruction make(isa::Operation operation, ptx::Type type,
                            std::initializer_list<VirtualOperand> sources = {}) const;
    /// The same, with the first `count` sources of the current instruction.
    VirtualInstruction make_with_sources(isa::Operation operation, ptx::Type type, std::size_t count);
    /// The same, with all of them.
    VirtualInstruction make_with_sources(isa::Operation operation, ptx::Type type) {
        return make_with_sources(operation, type, instruction().sources().size());
    }

    /// The value of a PTX operand at its type.
    VirtualOperand source(const ptx::Operand& operand);
    /// The value of the current instruction's i-th source.
    VirtualOperand source(std::size_t i) { return source(instruction_->sources()[i]); }
    VirtualOperand literal(std::uint64_t bits, unsigned rows = 1);
    PredicateUse predicate_source(const ptx::Operand& operand) const;
    PredicateUse predicate(std::uint32_t reg) const { return {place_[reg], false}; }
    /// The current instruction's guard.
    PredicateUse guard() const;
    /// The conjunction of the current instruction's guard and `condition`.
    PredicateUse guarded(PredicateUse condition);
    /// First virtual row (or the predicate) of a PTX register.
    std::uint32_t place(std::uint32_t reg) const { return place_[reg]; }
    /// The address of a variable in its own state space; refuses symbols without an address.
    std::uint64_t address_of(const ptx::SymbolReference& symbol) const;
    /// The carry flag: one predicate of the kernel.
    std::uint32_t carry();
    /// The rows of a .param variable of the function, one per word: calls are inlined, so it needs no memory.
    std::uint32_t parameter_row(std::uint32_t variable, std::uint64_t word) const {
        return parameter_rows_[variable][word];
    }
    ptx::StateSpace space_of(const ptx::SymbolReference& symbol) const;

    /// Appends the instruction unchanged.
    void append(VirtualInstruction instruction);
    /// Appends under the PTX instruction's guard.
    void emit(VirtualInstruction instruction);
    /// Appends with `destination` as the place of the result, extended if the register is wider than the type.
    void emit_to(const ptx::Operand& destination, VirtualInstruction instruction);
    /// The same, with the current instruction's destination.
    void emit_result(const VirtualInstruction& instruction) { emit_to(destination(), instruction); }
    /// Appends unguarded, into new rows, and returns these as an operand.
    VirtualOperand emit_temporary(VirtualInstruction instruction, unsigned rows);
    /// Appends an unguarded instruction without modifiers and returns its result.
    VirtualOperand value(isa::Operation operation, ptx::Type type, std::initializer_list<VirtualOperand> sources);
    /// Copies of the operands, of `operand_rows` rows each, side by side in new rows.
    VirtualOperand side_by_side(std::span<const ptx::Operand> operands, unsigned operand_rows = 1);
    /// Appends copies of the rows from `first` on to the elements, except sinks. The allocator removes most copies.
    void emit_to_elements(std::span<const ptx::Operand> elements, std::uint32_t first, unsigned element_rows = 1);
    /// Appends an unguarded copy of one row into a row of a temporary.
    void emit_copy(VirtualOperand from, std::uint32_t row);
    /// Appends unguarded, into a new predicate.
    PredicateUse emit_temporary_predicate(VirtualInstruction instruction);
    /// Appends an unguarded comparison; returns its result.
    PredicateUse test(isa::Comparison comparison, ptx::Type type, VirtualOperand a, VirtualOperand b);
    /// The predicate that a PTX destination names; a new one for a sink.
    std::uint32_t predicate_destination(const ptx::Operand& destination);

  private:
    VirtualOperand grid_workspace();
    VirtualOperand special(ptx::SpecialRegister reg);
    VirtualOperand read_special(isa::SpecialRegister reg, unsigned rows = 1);

    const ptx::Module& module_;
    const ptx::Function& function_;
    bool keep_cvta_;
    std::uint32_t carry_ = kNone;
    const ptx::Variable* variable_of(const ptx::SymbolReference& symbol) const;

    SharedLayout shared_;
    LocalLayout local_;
    std::vector<std::uint64_t> module_addresses_;
    std::vector<std::uint32_t> place_;
    std::vector<std::vector<std::uint32_t>> parameter_rows_;
    const ptx::Instruction* instruction_ = nullptr;
    std::uint32_t block_ = 0;
};

/// An operand that reads `count` rows of `operand`, from its row `first` on.
VirtualOperand part(VirtualOperand operand, unsigned first, unsigned count = 1);

}  // namespace lookahead::finaliser
