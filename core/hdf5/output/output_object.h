#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/hdf5/element_type.h"

namespace lookahead::hdf5 {

class OutputImage;
struct OutputRecord;

/// A group or a dataset of a file that is being written: a handle, which its OutputFile outlives. Every attribute is set
/// once; texts are variable-length UTF-8.
class OutputObject {
  public:
    OutputObject(OutputImage& image, OutputRecord& record) : image_(&image), record_(&record) {}

    void set_attribute(std::string_view name, std::string_view value);
    void set_attribute(std::string_view name, const char* value) { set_attribute(name, std::string_view(value)); }
    void set_attribute(std::string_view name, std::span<const std::string> values);
    void set_attribute(std::string_view name, std::int64_t value);
    void set_attribute(std::string_view name, std::uint64_t value);
    void set_attribute(std::string_view name, double value);

  protected:
    OutputImage* image_;
    OutputRecord* record_;
};

}  // namespace lookahead::hdf5
