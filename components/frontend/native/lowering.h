#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/native/cubin.h"
#include "components/frontend/native/decode.h"
#include "components/frontend/native/operands.h"
#include "components/isa/instruction.h"
#include "components/isa/kernel.h"

namespace lookahead::native {

/// The number of the predicate that is written by the field at the bit; kNoPredicate for PT.
std::uint8_t written_predicate(const Instruction& from, unsigned bit);
/// The source predicate of `to`, or its second one, as in the field at the bit.
void set_predicate(const Instruction& from, isa::Instruction& to, unsigned bit);
void set_predicate2(const Instruction& from, isa::Instruction& to, unsigned bit);

/// Lowers one kernel's instructions to the machine ISA.
class Lowering {
  public:
    /// `to` has the kernel's frame; the lowering adds code, registers and literals. `splits_generic`: generic accesses
    /// of several words are one for each, as those in local memory are.
    Lowering(const Cubin& cubin, const CubinKernel& kernel, isa::Kernel& to, bool splits_generic);

    /// InputError with the place for an instruction that cannot be lowered.
    void run(bool own_barriers);
    /// Whether generic accesses may reach local memory.
    bool makes_local_addresses() const { return operands_.makes_local_addresses(); }

  private:
    using Native = native::Instruction;
    using Machine = isa::Instruction;
    /// Stands for a predicate that the kernel does not use, until all of it is lowered.
    static constexpr std::uint8_t kSparePredicate = 0xfe;

    void find_reconvergence(bool own_barriers);
    void lower(const Native& from);
    void add_controls(const Native& from);

    // Groups of opcodes; each returns whether the instruction is one of its own.
    bool lower_integer(const Native& from);
    bool lower_float(const Native& from);
    bool lower_conversion(const Native& from);
    bool lower_move(const Native& from);
    bool lower_memory(const Native& from);
    bool lower_warp(const Native& from);
    bool lower_control(const Native& from);

    void predicates(const Native& from);
    void row_to_predicates(const Native& from);
    void arithmetic(const Native& from, isa::Type type);
    void compare(const Native& from, isa::Type type);
    void compare_halves(const Native& from);
    void set_by_comparison(const Native& from, isa::Type type);
    void differences(const Native& from);
    void wide_product_with_carry(const Native& from);
    void function(const Native& from);
    void upper_part(const Native& from, std::uint64_t size, Machine& to);
    void access(const Native& from, isa::Operation operation, isa::Space space);
    void split_access(const Native& from, Machine to);
    void atomic(const Native& from, isa::Space space);
    void swap_and_tell(const Native& from, Machine swap);
    void space_of_address(const Native& from);
    void barrier(const Native& from);
    void set_target(const Native& from);
    void set_computed_target(const Native& from, Machine& to);
    void synchronise_warp(const Native& from);
    void branch_if_diverged(const Native& from);
    /// The member mask that WARPSYNC has given for the instruction; no operand if none did.
    isa::Operand members() const;
    void place_spare_predicate();
    void constant_load(const Native& from, bool uniform);
    void set_address(const Native& from, Machine& to, isa::Space space);

    /// An instruction with the guard, place and uniformity of `from`.
    Machine begin(const Native& from, isa::Operation operation, isa::Type type) const;
    void emit(const Machine& instruction) { to_.code.push_back(instruction); }
    /// Two parts of one instruction, which writes a predicate in each, in an order in which neither writes what the
    /// other reads.
    void emit_both(const Machine& first, const Machine& second);
    /// Sets the predicate to whether both are equal.
    void set_if_equal(const Native& from, unsigned bit, const isa::Operand& a, const isa::Operand& b);

    /// The result at bit 16, in the instruction's file of registers.
    void set_result(const Native& from, Machine& to, unsigned rows = 1) const;
    /// Source `place` of `to`, with its modifiers.
    void set_source(const Native& from, Machine& to, unsigned place, const Source& source, unsigned rows = 1);
    isa::Operand operand(const Native& from, const Source& source, unsigned rows);
    isa::Operand loaded(const Native& from, std::uint32_t offset, unsigned rows);

    const Cubin& cubin_;
    const CubinKernel& kernel_;
    isa::Kernel& to_;
    bool splits_generic_;
    std::vector<Native> code_;
    Operands operands_;
    std::uint32_t place_ = 0;             ///< number of the instruction that is lowered
    std::vector<std::uint32_t> targets_;  ///< of branches, by machine instruction, as numbers of native ones
    std::uint32_t members_end_ = 0;       ///< until there `members_` is the mask of instructions that exchange values
    isa::Operand members_;
    std::vector<std::uint32_t> calls_;  ///< machine instructions that come back to the next one
};

}  // namespace lookahead::native
