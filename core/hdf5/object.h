#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/hdf5/element_type.h"
#include "core/hdf5/handle.h"

namespace lookahead::hdf5 {

/// An attribute's value; monostate for a type that the project does not write (references, compounds).
using AttributeValue =
    std::variant<std::monostate, std::string, std::vector<std::string>, std::int64_t, std::uint64_t, double>;

/// A group or a dataset, with attributes. All errors are InputErrors with the file's path and the object's name.
class Object {
  public:
    explicit Object(Handle handle) : handle_(std::move(handle)) {}

    /// Texts are variable-length UTF-8.
    void set_attribute(std::string_view name, std::string_view value);
    void set_attribute(std::string_view name, const char* value) { set_attribute(name, std::string_view(value)); }
    void set_attribute(std::string_view name, std::span<const std::string> values);
    template <Element T>
    void set_attribute(std::string_view name, T value) {
        set_number(name, kElementType<T>, &value);
    }

    bool has_attribute(std::string_view name) const;
    std::vector<std::string> attribute_names() const;  ///< in alphabetical order
    AttributeValue attribute(std::string_view name) const;
    /// A text attribute. InputError if it is missing or is not one text.
    std::string text_attribute(std::string_view name) const;
    /// The same for any alternative of AttributeValue.
    template <class T>
    T attribute_as(std::string_view name) const {
        AttributeValue value = attribute(name);
        if (auto* found = std::get_if<T>(&value)) { return std::move(*found); }
        fail_by_type(name);
    }

    /// The object's path in its file: "/engine/windows".
    std::string name() const;
    /// The file's path.
    std::string file_name() const;

    Id id() const { return handle_.get(); }

  protected:
    Handle handle_;

  private:
    void set_number(std::string_view name, ElementType type, const void* value);
    [[noreturn]] void fail_by_type(std::string_view name) const;
};

}  // namespace lookahead::hdf5
