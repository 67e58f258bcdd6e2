#pragma once

#include <cstdint>

#include "components/frontend/finaliser/calls/function_writer.h"

namespace lookahead::finaliser {

/// Appends the code for the stack of recursive functions: frames, one for each active call.
class CallStackWriter : protected FunctionWriter {
  protected:
    CallStackWriter(const ptx::Function& function, ptx::Type address_type)
        : FunctionWriter(function), address_type_(address_type) {}

    /// Appends the stack, a local variable, and a register with the offset of its first free byte.
    void append_stack();
    /// Moves the end of the frames by `bytes`.
    void append_stack_move(const ptx::Instruction& origin, std::uint32_t bytes);
    /// Appends code that computes the address of the running function's frame; returns the register with the address.
    /// Outside of the function's calls the frame begins at the first free byte.
    std::uint32_t append_frame_address(const ptx::Instruction& origin);
    /// The operand that replaces one that names a variable in the frame.
    ptx::Operand place_in_frame(ptx::Operand operand, std::uint32_t offset, const ptx::Instruction& origin);
    /// Appends an access between the frame and a register or the .param variable of a parameter.
    void append_frame_access(const ptx::Instruction& origin, ptx::Opcode opcode, std::uint32_t frame,
                             std::uint32_t offset, ptx::Operand value, ptx::Type type);
    /// At the beginning of a function whose frame has `bytes`: appends a trap for a stack without room for it.
    void append_stack_check(const ptx::Instruction& origin, std::uint32_t bytes);

  private:
    ptx::Type address_type_;
    std::uint32_t stack_ = 0;      ///< the variable
    std::uint32_t stack_end_ = 0;  ///< the register
};

}  // namespace lookahead::finaliser
