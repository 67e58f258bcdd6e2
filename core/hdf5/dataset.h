#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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
        read_into(element_type_of<T>(), values.data());
        return values;
    }
    std::vector<std::string> read_texts() const;
    /// The elements as they lie in memory in the file's own type; not for texts.
    std::vector<std::byte> read_bytes() const;

    bool is_scale() const;
    bool has_scale(unsigned dimension, const Dataset& scale) const;

  private:
    void read_into(ElementType type, void* values) const;
};

}  // namespace lookahead::hdf5
