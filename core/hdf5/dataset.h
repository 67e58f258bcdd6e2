#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hdf5/element_type.h"
#include "core/hdf5/object.h"

namespace lookahead::hdf5 {

class Dataset : public Object {
  public:
    using Object::Object;

    ElementType type() const;
    std::vector<std::uint64_t> shape() const;  ///< empty for a scalar
    std::uint64_t size() const;                ///< number of elements

    /// Elements in row-major order, converted to T if the file's numbers are of another kind.
    template <Element T>
    std::vector<T> read() const {
        std::vector<T> values(size());
        read_into(kElementType<T>, values.data());
        return values;
    }
    /// Reads `count` elements of a column, from element `first` on.
    template <Element T>
    std::vector<T> read_part(std::uint64_t first, std::uint64_t count) const {
        std::vector<T> values(count);
        read_part_into(kElementType<T>, values.data(), first, count);
        return values;
    }
    /// Appends elements to a column that Group::create_growing_column made.
    template <Element T>
    void append(std::span<const T> values) {
        append_from(kElementType<T>, values.data(), values.size());
    }
    std::vector<std::string> read_texts() const;
    /// The bytes of the elements in the file's own type; not for texts.
    std::vector<std::byte> read_bytes() const;

    /// Makes this dataset the scale (coordinate) of a dimension.
    void make_scale(std::string_view dimension_name);
    bool is_scale() const;
    void attach_scale(unsigned dimension, const Dataset& scale);
    bool has_scale(unsigned dimension, const Dataset& scale) const;

  private:
    void read_into(ElementType type, void* values) const;
    void read_part_into(ElementType type, void* values, std::uint64_t first, std::uint64_t count) const;
    void append_from(ElementType type, const void* values, std::uint64_t count);
};

/// Attaches the scales, one for each dimension, to every column. No scale may be attached to a column yet. Does the
/// same as attach_scale() for each column, but in a time that grows with the number of columns, not with its square.
void attach_scales(std::span<const Dataset> columns, const std::vector<const Dataset*>& scales);

}  // namespace lookahead::hdf5
