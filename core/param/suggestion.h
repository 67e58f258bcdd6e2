#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lookahead {

/// The known word nearest to the typed one, by edits (insert, delete, replace, swap of neighbours); empty if none is
/// near enough.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

/// ": did you mean X?" or nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

}  // namespace lookahead
