#pragma once

#include "core/hdf5/group.h"

namespace lookahead {

/// A dataset of a schema: its name and what it says about itself.
struct DatasetName {
    const char* name;
    const char* units;
    const char* description;
};

inline hdf5::Meaning meaning_of(const DatasetName& name) {
    return {name.units, name.description};
}

}  // namespace lookahead
