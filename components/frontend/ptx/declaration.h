#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/function.h"
#include "components/frontend/ptx/function_scope.h"
#include "components/frontend/ptx/variable.h"

namespace lookahead::ptx {

/// Words before a declaration.
struct Linkage {
    bool is_extern = false;
    bool is_visible = false;  ///< .visible, .weak, .common
};

/// Parses any of .extern, .visible, .weak, .common at the cursor; there may be none.
Linkage parse_linkage(Cursor& cursor);

/// Parses a declaration of variables from `.SPACE` up to the semicolon, which it consumes. Initialisers may use
/// `names`. One declaration may declare several variables. Throws Problem.
std::vector<Variable> parse_variables(Cursor& cursor, Linkage linkage, const SymbolTable& names);

/// Whether the cursor is at a word that begins a variable's declaration.
bool starts_variable(const Cursor& cursor);

/// Parses a parenthesised list of formal parameters and lays them out as in the PTX ABI. Throws Problem.
std::vector<Parameter> parse_parameters(Cursor& cursor);

/// Parses a declaration of registers after `.reg`, up to the semicolon, which it consumes. Throws Problem.
void parse_registers(Cursor& cursor, FunctionScope& scope);

/// The end of the last parameter in bytes.
std::uint64_t end_of(const std::vector<Parameter>& parameters);

/// Parses the initialiser after `=` in a variable's declaration into its bytes and relocations: constants, `symbol +
/// constant`, `generic(symbol) + constant`, `0xFF00(symbol)`, in nested braces for arrays. `dimensions` are the array's
/// (empty for a scalar); a leading 0 (`[]`) takes the initialiser's length. Throws Problem.
void parse_initialiser(Cursor& cursor, const SymbolTable& names, std::vector<std::uint64_t>& dimensions,
                       Variable& variable);

}  // namespace lookahead::ptx
