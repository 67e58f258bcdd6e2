#pragma once

#include <string>
#include <string_view>

namespace lookahead {

/// Reference pages in Markdown of all registered names: a heading and a table for each prefix, slot or kind.
std::string parameters_page();
/// Leaves out the slot `left_out`, if it is named.
std::string variants_page(std::string_view left_out = "");
std::string statistics_page();

/// The text as the cell of a table: `|` does not end it, `<` begins no HTML, and line breaks become blanks.
std::string markdown_cell(std::string_view text);

}  // namespace lookahead
