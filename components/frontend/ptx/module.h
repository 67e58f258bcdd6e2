#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/ptx/function.h"
#include "components/frontend/ptx/variable.h"

namespace lookahead::ptx {

/// Whether an unsupported part of a function's body makes the module or the kernel unusable.
enum class Refusal {
    of_module,  ///< all: parse_module and finalise_module throw
    of_kernel,  ///< the kernels that run the function: they are refused when they are launched
};

/// One PTX file, parsed and type-checked.
struct Module {
    std::string file_name;  ///< for messages
    std::string source;     ///< the PTX text
    Refusal refusal = Refusal::of_module;
    unsigned version_major = 0;
    unsigned version_minor = 0;
    std::string target;          ///< "sm_75"
    unsigned address_bits = 64;  ///< 32 or 64
    std::vector<Variable> variables;
    std::vector<Function> functions;

    const Function* find_function(std::string_view name) const;
    const Function* find_kernel(std::string_view name) const;
    const Variable* find_variable(std::string_view name) const;
    Type address_type() const { return address_bits == 64 ? Type::u64 : Type::u32; }
};

/// "file:line: `text`" to begin a message about an instruction.
std::string where(const Module& module, const Instruction& instruction);

}  // namespace lookahead::ptx
