#pragma once

#include <string>

namespace lookahead {

/// A page in Markdown about all file formats: for each group its attributes and datasets, with their types, dimensions,
/// units and meanings.
std::string schema_page();

}  // namespace lookahead
