#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lookahead {

/// "scale(float*, int)" for "_Z5scalePfi"; a name that is not mangled is unchanged.
std::string readable_name(const std::string& name);

/// A name for a line of text: like readable_name, but shortened if that is longer than `most` characters: first without
/// its parameters, then with `<..>` for its template arguments, then without its namespaces, only as far as needed.
std::string short_name(const std::string& name, std::size_t most = 60);

/// The text with each mangled name replaced by its short name.
std::string with_short_names(std::string_view text);

}  // namespace lookahead
