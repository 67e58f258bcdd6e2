#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "components/frontend/ptx/function.h"

namespace lookahead::finaliser {

/// Appends registers, variables and instructions to a PTX function. Instructions made for an instruction of the file,
/// their `origin`, have its line and text.
class FunctionWriter {
  protected:
    /// Copies everything but the code from `function`.
    explicit FunctionWriter(const ptx::Function& function);

    /// The number of the instruction that comes next.
    std::uint32_t next() const { return static_cast<std::uint32_t>(result_.instructions.size()); }
    /// Declares a .param variable of the parameter's type and size; returns its index.
    std::uint32_t new_parameter_variable(const ptx::Parameter& parameter);
    std::uint32_t new_register(const char* name, ptx::Type type);
    /// Appends an instruction: without operands, or with one destination and sources.
    ptx::Instruction& append_like(const ptx::Instruction& origin, ptx::Opcode opcode, ptx::Type type,
                                  std::vector<ptx::Operand> operands = {});
    /// Returns the branch's number, so that its target can be set later.
    std::uint32_t append_branch(const ptx::Instruction& origin, std::optional<ptx::Guard> guard,
                                std::uint32_t target = 0);
    void append_move(const ptx::Instruction& origin, ptx::Operand to, ptx::Operand from, ptx::Type type);
    /// Appends an access between `value` and the bytes at `offset` of a .param variable.
    void append_access(const ptx::Instruction& origin, ptx::Opcode opcode, std::uint32_t variable, ptx::Operand value,
                       ptx::Type type, std::uint32_t offset = 0);
    /// predicate = `value` compared with `number`.
    void append_comparison(const ptx::Instruction& origin, ptx::Comparison comparison, std::uint32_t predicate,
                           ptx::Operand value, std::uint64_t number, ptx::Type type = ptx::Type::u32);
    /// result = a + b.
    void append_sum(const ptx::Instruction& origin, std::uint32_t result, ptx::Operand a, ptx::Operand b,
                    ptx::Type type);
    /// A register for a part; registers have at least two bytes.
    ptx::Operand part_register(ptx::Type type);
    void append_variable_copy(const ptx::Instruction& origin, std::uint32_t to, std::uint32_t from);

    /// The parts of a .param variable that are read and written at once, as large as its alignment allows.
    template <typename Visit>
    void for_each_part(std::uint32_t variable, Visit visit) const {
        const auto size = static_cast<std::uint32_t>(result_.variables[variable].size());
        std::uint32_t part = std::clamp(result_.variables[variable].alignment, 1U, 8U);
        for (std::uint32_t offset = 0; offset < size; offset += part) {
            while (offset + part > size) { part /= 2; }
            visit(offset, ptx::with_bits(ptx::Type::b32, part * 8));
        }
    }

    ptx::Function result_;
};

}  // namespace lookahead::finaliser
