#pragma once

namespace lookahead {

/// A dataset of a schema: its name and what it says about itself.
struct DatasetName {
    const char* name;
    const char* units;
    const char* description;
};

}  // namespace lookahead
