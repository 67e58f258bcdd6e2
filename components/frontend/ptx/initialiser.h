#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/function_scope.h"
#include "components/frontend/ptx/variable.h"

namespace lookahead::ptx {

/// Parses the initialiser after `=` in a variable's declaration into its bytes and relocations: constants, `symbol +
/// constant`, `generic(symbol) + constant`, `0xFF00(symbol)`, in nested braces for arrays. `dimensions` are the array's
/// (empty for a scalar); a leading 0 (`[]`) takes the initialiser's length. Throws Problem.
void parse_initialiser(Cursor& cursor, const SymbolTable& names, std::vector<std::uint64_t>& dimensions,
                       Variable& variable);

}  // namespace lookahead::ptx
