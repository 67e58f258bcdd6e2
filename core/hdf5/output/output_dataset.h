#pragma once

#include <cstdint>
#include <string_view>

#include "core/hdf5/output/output_object.h"

namespace lookahead::hdf5 {

class OutputDataset : public OutputObject {
  public:
    using OutputObject::OutputObject;

    std::uint64_t size() const;  ///< number of elements

    /// Makes this dataset the scale (coordinate) of a dimension (HDF5 Dimension Scale Specification).
    void make_scale(std::string_view dimension_name);
    void attach_scale(unsigned dimension, const OutputDataset& scale);
};

}  // namespace lookahead::hdf5
