#include "core/hdf5/output/output_dataset.h"

#include <functional>
#include <numeric>

#include "core/error/error.h"
#include "core/hdf5/output/messages.h"
#include "core/hdf5/output/output_image.h"

namespace lookahead::hdf5 {

namespace {

void set_fixed_text(OutputImage& image, OutputRecord& record, std::string_view name, std::string_view text) {
    ByteWriter value;
    value.put_terminated(text);
    image.add_attribute(record, name, encoded_fixed_text_type(value.size()).bytes(), {}, value.bytes());
}

}  // namespace

std::uint64_t OutputDataset::size() const {
    return std::accumulate(record_->shape.begin(), record_->shape.end(), std::uint64_t{1}, std::multiplies<>());
}

void OutputDataset::make_scale(std::string_view dimension_name) {
    set_fixed_text(*image_, *record_, "CLASS", "DIMENSION_SCALE");
    set_fixed_text(*image_, *record_, "NAME", dimension_name);
}

void OutputDataset::attach_scale(unsigned dimension, const OutputDataset& scale) {
    LOOKAHEAD_ASSERT(dimension < record_->shape.size(), record_->path + " has no such dimension");
    record_->scales.resize(record_->shape.size());
    record_->scales[dimension].push_back(scale.record_);
    scale.record_->users.push_back({record_, dimension});
}

}  // namespace lookahead::hdf5
