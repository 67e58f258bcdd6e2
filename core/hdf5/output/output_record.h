#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hdf5/output/object_header.h"

namespace lookahead::hdf5 {

/// A group or a dataset of a file that is being written.
struct OutputRecord {
    struct Link {
        std::string name;
        OutputRecord* target;
    };
    /// A dataset that a scale is attached to, and where.
    struct ScaleUser {
        OutputRecord* dataset;
        std::uint32_t dimension;
    };

    std::string path;  ///< "/kernels/start"; empty for the root
    bool is_group = false;
    ObjectHeader header;
    std::vector<std::string> attributes;             ///< names
    std::vector<Link> links;                         ///< of a group
    std::vector<std::uint64_t> shape;                ///< of a dataset
    std::vector<std::vector<OutputRecord*>> scales;  ///< of a dataset, by dimension; empty if it has none
    std::vector<ScaleUser> users;                    ///< of a scale
    std::uint64_t address = 0;                       ///< of the header, once all are complete
};

}  // namespace lookahead::hdf5
