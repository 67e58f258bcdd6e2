#pragma once

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/literal.h"

namespace lookahead::ptx {

/// Whether a constant expression starts at the cursor.
bool starts_constant(const Cursor& cursor);

/// Parses a constant expression: literals and WARP_SZ, with the integer operators + - * / % << >> & ^ | ~ ! and
/// parentheses; a blank must follow %, which otherwise begins a name; a floating-point literal may have a sign.
/// Arithmetic is that of 64-bit integers, unsigned where one operand is. Throws Problem.
Literal parse_constant(Cursor& cursor);

}  // namespace lookahead::ptx
