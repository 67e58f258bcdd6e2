#include "core/hdf5/object.h"

#include <hdf5.h>

#include <algorithm>
#include <array>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

std::string quoted(std::string_view name) {
    return fmt::format("\"{}\"", name);
}

void write_attribute(Id object, std::string_view name, ElementType type, Id space, const void* data) {
    const std::string text(name);
    const Id element = type_in_memory(type);
    const Handle attribute(H5Acreate2(object, text.c_str(), element, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute.get(), object, [&] { return fmt::format("create attribute {}", quoted(name)); });
    if (H5Sget_simple_extent_npoints(space) > 0) {
        check(H5Awrite(attribute.get(), element, data), object,
              [&] { return fmt::format("write attribute {}", quoted(name)); });
    }
}

std::vector<std::string> read_texts(Id object, Id attribute, std::size_t count) {
    if (count == 0) { return {}; }
    const Handle space(H5Aget_space(attribute), H5Sclose);
    std::vector<char*> pointers(count, nullptr);
    check(H5Aread(attribute, type_in_memory(ElementType::text), pointers.data()), object, "read an attribute");
    return take_texts(pointers, space.get());
}

template <class T>
T read_number(Id object, Id attribute) {
    T value{};
    check(H5Aread(attribute, type_in_memory(kElementType<T>), &value), object, "read an attribute");
    return value;
}

}  // namespace

void Object::set_attribute(std::string_view name, std::string_view value) {
    const std::string text(value);
    const char* pointer = text.c_str();
    write_attribute(id(), name, ElementType::text, scalar_space(), &pointer);
}

void Object::set_attribute(std::string_view name, std::span<const std::string> values) {
    const std::vector<const char*> pointers = pointers_to(values);
    write_attribute(id(), name, ElementType::text, column_space(values.size()).get(), pointers.data());
}

void Object::set_number(std::string_view name, ElementType type, const void* value) {
    write_attribute(id(), name, type, scalar_space(), value);
}

bool Object::has_attribute(std::string_view name) const {
    return H5Aexists(id(), std::string(name).c_str()) > 0;
}

std::vector<std::string> Object::attribute_names() const {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    check(H5Aiterate2(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, +add, &names), id(), "list attributes");
    std::sort(names.begin(), names.end());
    return names;
}

AttributeValue Object::attribute(std::string_view name) const {
    const Handle attribute(H5Aopen(id(), std::string(name).c_str(), H5P_DEFAULT), H5Aclose);
    check(attribute.get(), id(), fmt::format("open attribute {} of {}", quoted(name), this->name()));
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    const auto count = H5Sget_simple_extent_npoints(space.get());
    const bool scalar = H5Sget_simple_extent_type(space.get()) == H5S_SCALAR;
    const ElementType element = element_type_of(type.get());
    if (element == ElementType::text && count >= 0) {
        auto texts = read_texts(id(), attribute.get(), static_cast<std::size_t>(count));
        return scalar ? AttributeValue(texts.front()) : AttributeValue(std::move(texts));
    }
    if (!scalar) { return {}; }
    const auto is = [element](auto... types) { return ((element == types) || ...); };
    if (is(ElementType::int32, ElementType::int64)) { return read_number<std::int64_t>(id(), attribute.get()); }
    if (is(ElementType::uint32, ElementType::uint64)) { return read_number<std::uint64_t>(id(), attribute.get()); }
    return is(ElementType::float64) ? AttributeValue(read_number<double>(id(), attribute.get())) : AttributeValue();
}

std::string Object::text_attribute(std::string_view name) const {
    if (!has_attribute(name)) {
        throw InputError("{}: {} has no attribute {}", file_name(), this->name(), quoted(name));
    }
    const AttributeValue value = attribute(name);
    if (const auto* text = std::get_if<std::string>(&value)) { return *text; }
    throw InputError("{}: the attribute {} of {} is not a text", file_name(), quoted(name), this->name());
}

void Object::fail_by_type(std::string_view name) const {
    throw InputError("{}: the attribute {} of {} is of another type", file_name(), quoted(name), this->name());
}

std::string Object::name() const {
    // As in file_name_of(): finding the name must not hide the reason of the failure.
    const hid_t stack = H5Eget_current_stack();
    std::array<char, 4096> buffer{};
    const auto length = H5Iget_name(id(), buffer.data(), buffer.size());
    H5Eset_current_stack(stack);
    return length < 0 ? "?" : buffer.data();
}

std::string Object::file_name() const {
    return file_name_of(id());
}

}  // namespace lookahead::hdf5
