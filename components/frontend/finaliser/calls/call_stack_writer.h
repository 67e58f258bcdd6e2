#pragma once

#include <cstdint>

#include "components/frontend/finaliser/calls/function_writer.h"

namespace lookahead::finaliser {

/// Appends what recursive functions do with their stack: frames, one for each call that is under way.
class CallStackWriter : protected FunctionWriter {
  protected:
    CallStackWriter(const ptx::Function& function, ptx::Type address_type)
        : FunctionWriter(function), address_type_(address_type) {}

    /// The stack is a local variable; a register holds where its first free byte is.
    void append_stack();
    /// Frames take so many bytes more.
    void append_stack_move(const ptx::Instruction& origin, std::uint32_t bytes);
    /// A register with the address of the frame of the function under way: it is not under way in a call.
    std::uint32_t append_frame_address(const ptx::Instruction& origin);
    /// What stands for the operand, which names a variable in the frame.
    ptx::Operand place_in_frame(ptx::Operand operand, std::uint32_t offset, const ptx::Instruction& origin);
    /// Between the frame and a register or the .param variable of a parameter.
    void append_frame_access(const ptx::Instruction& origin, ptx::Opcode opcode, std::uint32_t frame,
                             std::uint32_t offset, ptx::Operand value, ptx::Type type);
    /// At the begin of a function whose frame has `bytes`: a trap where the stack has no room for it.
    void append_stack_check(const ptx::Instruction& origin, std::uint32_t bytes);

  private:
    ptx::Type address_type_;
    std::uint32_t stack_ = 0;      ///< the variable
    std::uint32_t stack_end_ = 0;  ///< the register
};

}  // namespace lookahead::finaliser
