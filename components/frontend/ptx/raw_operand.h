#pragma once

#include <vector>

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/function_scope.h"
#include "components/frontend/ptx/literal.h"
#include "components/frontend/ptx/operand.h"

namespace lookahead::ptx {

/// An operand with its names resolved, before the instruction's requirement for it is known.
/// Its `operand` has kind sink, reg, special, symbol, address, vector or texture; or immediate with `literal`.
struct RawOperand {
    Operand operand;
    Literal literal;                   ///< of an immediate
    bool has_second = false;           ///< `a|b`
    Operand second;                    ///< b: reg or sink
    std::vector<RawOperand> elements;  ///< of a vector or texture
};

/// Parses one operand. Throws Problem.
RawOperand parse_operand(Cursor& cursor, FunctionScope& scope);

/// Parses operands separated by commas, up to the semicolon, which is not consumed.
std::vector<RawOperand> parse_operands(Cursor& cursor, FunctionScope& scope);

}  // namespace lookahead::ptx
