#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lookahead {

/// "scale(float*, int)" of "_Z5scalePfi"; a name that is not mangled stays as it is.
std::string readable_name(const std::string& name);

/// A name for a line of text: as readable_name, and where that is longer than `most` characters without its parameters, then
/// with `<..>` for its template arguments, then without its namespaces; each only as far as it is needed.
std::string short_name(const std::string& name, std::size_t most = 60);

/// The text with the short name of each mangled name in it.
std::string with_short_names(std::string_view text);

}  // namespace lookahead
