#pragma once

#include <optional>

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/declaration.h"
#include "components/frontend/ptx/function_scope.h"
#include "components/frontend/ptx/module.h"
#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {

struct Signature {
    Function function;
    std::optional<Problem> launch_problem;  ///< why a kernel cannot be launched
};

/// Parses a function's signature and directives, from .entry or .func up to, but not including, `{` or `;`. Throws
/// Problem.
Signature parse_signature(Cursor& cursor, Linkage linkage);

/// Parses the body of `function`, which is an element of `module.functions`, from `{` to `}`. Throws Problem.
void parse_body(Cursor& cursor, const SymbolTable& names, const Module& module, Function& function);

/// Skips `.loc`, `.file`, `.section` (debug information) and `.pragma` (hints to an optimiser); false if there is none.
bool skip_debug_or_pragma(Cursor& cursor);

}  // namespace lookahead::ptx
