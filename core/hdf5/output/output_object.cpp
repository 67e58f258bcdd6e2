#include "core/hdf5/output/output_object.h"

#include <vector>

#include "core/hdf5/output/messages.h"
#include "core/hdf5/output/output_image.h"

namespace lookahead::hdf5 {

namespace {

template <class T>
void set_scalar(OutputImage& image, OutputRecord& record, std::string_view name, ElementType type, const T& value) {
    image.add_attribute(record, name, encoded_type(type), {}, std::as_bytes(std::span(&value, 1)));
}

}  // namespace

void OutputObject::set_attribute(std::string_view name, std::string_view value) {
    set_scalar(*image_, *record_, name, ElementType::text, image_->add_text(value));
}

void OutputObject::set_attribute(std::string_view name, std::span<const std::string> values) {
    std::vector<HeapReference> texts;
    for (const std::string& value : values) {
        texts.push_back(image_->add_text(value));
    }
    const std::uint64_t count = texts.size();
    image_->add_attribute(*record_, name, encoded_type(ElementType::text), {&count, 1},
                          std::as_bytes(std::span(texts)));
}

void OutputObject::set_attribute(std::string_view name, std::int64_t value) {
    set_scalar(*image_, *record_, name, ElementType::int64, value);
}

void OutputObject::set_attribute(std::string_view name, std::uint64_t value) {
    set_scalar(*image_, *record_, name, ElementType::uint64, value);
}

void OutputObject::set_attribute(std::string_view name, double value) {
    set_scalar(*image_, *record_, name, ElementType::float64, value);
}

}  // namespace lookahead::hdf5
