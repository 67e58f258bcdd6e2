#pragma once

#include <string>

namespace lookahead {

/// A page in Markdown of all file formats: for each group its attributes and datasets, with type, dimensions, unit and
/// meaning.
std::string schema_page();

}  // namespace lookahead
