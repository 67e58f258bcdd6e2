#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "components/frontend/ptx/function.h"

namespace lookahead::finaliser {

/// A value that a function needs after a call that may lead to the function again: the frame keeps it meanwhile.
struct KeptValue {
    bool is_parameter = false;  ///< a parameter in memory, else a register
    std::uint32_t index = 0;    ///< in Function::parameters or Function::registers
    std::uint32_t offset = 0;   ///< in the frame
};

/// The data of each activation of a recursive function on the stack: its return place (4 bytes at offset 0), the
/// function's local variables, and the values that it keeps across calls.
struct RecursiveFrame {
    std::vector<std::uint32_t> variable_offset;  ///< by index in Function::variables; local ones only
    std::map<const ptx::Instruction*, std::vector<KeptValue>> kept;  ///< by call that may lead to the function again
    std::uint32_t bytes = 0;                                         ///< a multiple of kFrameAlignment
};

inline constexpr std::uint32_t kFrameAlignment = 16;

/// `leads_back`: whether a call in the function may lead to the function again.
RecursiveFrame lay_out_frame(const ptx::Function& function,
                             const std::function<bool(const ptx::Instruction&)>& leads_back);

}  // namespace lookahead::finaliser
