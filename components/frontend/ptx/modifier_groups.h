#pragma once

#include <span>
#include <string_view>

#include "components/frontend/ptx/instruction_form.h"
#include "components/frontend/ptx/modifiers.h"

namespace lookahead::ptx {

/// Whether the instruction table may name groups of this kind.
bool is_modifier_kind(std::string_view kind);

/// Whether a group of `kind` knows the meaning of `word`.
bool is_modifier_word(std::string_view kind, std::string_view word);

/// Sets the meaning of `word` in a group of `kind` in `modifiers`. Types fill Modifiers::types in order.
void apply_modifier(std::string_view kind, std::string_view word, Modifiers& modifiers);

}  // namespace lookahead::ptx
