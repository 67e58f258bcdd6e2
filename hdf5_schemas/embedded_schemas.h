#pragma once

#include <span>
#include <string_view>

namespace lookahead {

/// The text of a schema file that is part of the program.
struct EmbeddedSchema {
    std::string_view id;
    std::string_view json;
};

/// All schemas of hdf5_schemas/, as of the build.
std::span<const EmbeddedSchema> embedded_schemas();

}  // namespace lookahead
