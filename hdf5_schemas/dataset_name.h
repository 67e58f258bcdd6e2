#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/hdf5/group.h"

namespace lookahead {

/// A dataset of a schema: its name and the texts of its attributes.
struct DatasetName {
    const char* name;
    const char* units;
    const char* description;
    const char* long_name;  ///< empty for texts and scalars
};

inline hdf5::Meaning meaning_of(const DatasetName& name) {
    return {name.units, name.description, name.long_name};
}

/// The long name of a column that no schema names: the words of its name.
inline std::string long_name_of(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

}  // namespace lookahead
