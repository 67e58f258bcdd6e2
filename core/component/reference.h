#pragma once

#include <string>
#include <string_view>

namespace lookahead {

/// Pages in Markdown of everything that registered itself: a heading for each prefix, slot or kind and a table under it.
std::string parameters_page();
/// But for the variants of one slot, if it is named.
std::string variants_page(std::string_view left_out = "");
std::string statistics_page();

/// As the cell of a table: `|` does not end it, `<` begins no HTML, and line breaks are blanks.
std::string markdown_cell(std::string_view text);

}  // namespace lookahead
