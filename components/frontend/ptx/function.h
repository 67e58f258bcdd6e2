#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "components/frontend/ptx/instruction.h"
#include "components/frontend/ptx/variable.h"

namespace lookahead::ptx {

/// A virtual register. Only its index in a function's `registers` is unique: nested scopes may repeat a name.
struct Register {
    std::string name;  ///< as written, with its % if it has one
    Type type = Type::none;
};

/// A formal parameter. A kernel's parameters lie one after the other in parameter memory, each at the next
/// multiple of its alignment.
struct Parameter {
    std::string name;
    Type type = Type::none;  ///< of one element; b8 for structures
    unsigned vector_width = 1;
    std::uint64_t elements = 1;
    unsigned alignment = 1;
    std::uint64_t offset = 0;  ///< in bytes from the first parameter
    std::uint64_t size = 0;    ///< in bytes
    bool in_register = false;
    std::uint32_t reg = 0;  ///< index into Function::registers, if in_register (.func with `.reg` parameters)
};

struct Label {
    std::string name;
    std::uint32_t instruction = 0;  ///< index of the instruction that it precedes; may be instructions.size()
};

/// .maxntid, .reqntid, .minnctapersm, .maxnreg.
struct LaunchBounds {
    std::optional<std::array<std::uint32_t, 3>> max_threads;
    std::optional<std::array<std::uint32_t, 3>> required_threads;
    std::optional<std::uint32_t> min_ctas_per_sm;
    std::optional<std::uint32_t> max_registers;
};

/// Signature for indirect calls (.callprototype).
struct Prototype {
    std::string name;
    std::vector<Parameter> return_parameters;
    std::vector<Parameter> parameters;
};

/// A kernel (.entry) or a device function (.func).
struct Function {
    std::string name;
    bool is_kernel = false;
    bool is_visible = false;
    bool is_extern = false;
    bool is_defined = false;  ///< false for a declaration whose body is elsewhere (vprintf)
    bool is_noreturn = false;
    bool is_library = false;  ///< its body came from the device library (device_library.h), not from the file
    std::vector<Parameter> return_parameters;
    std::vector<Parameter> parameters;
    std::uint64_t parameter_bytes = 0;  ///< end of the last parameter
    LaunchBounds bounds;
    std::vector<Register> registers;
    std::vector<Variable> variables;  ///< declared in the body: local, shared, param
    std::vector<Instruction> instructions;
    std::vector<Label> labels;  ///< in order of their instruction
    std::vector<Prototype> prototypes;
    std::uint32_t line = 0;
    /// Why a kernel with a usable body cannot be launched, as a sentence with file and line; empty if it can.
    std::string launch_problem;
    /// Why the body cannot be used, as a sentence with file and line; empty if it can. An unusable body is empty.
    std::string problem;
};

}  // namespace lookahead::ptx
