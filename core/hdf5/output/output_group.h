#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/hdf5/output/output_dataset.h"

namespace lookahead::hdf5 {

/// What every dataset says about itself. Units are a singular noun or empty for pure numbers and names.
struct Meaning {
    std::string_view units;
    std::string_view description;
};

class OutputGroup : public OutputObject {
  public:
    using OutputObject::OutputObject;

    OutputGroup create_group(std::string_view name);
    /// The group of that name, made if there is none yet.
    OutputGroup group(std::string_view name);

    /// A 1-D dataset. Large ones are chunked, shuffled and compressed (gzip 1).
    template <Element T>
    OutputDataset write_column(std::string_view name, std::span<const T> values, const Meaning& meaning) {
        const std::uint64_t rows = values.size();
        return write(name, element_type_of<T>(), std::as_bytes(values), {&rows, 1}, meaning);
    }
    /// A dataset of the given shape, in row-major order; values.size() must be its product.
    template <Element T>
    OutputDataset write_array(std::string_view name, std::span<const T> values, std::span<const std::uint64_t> shape,
                              const Meaning& meaning) {
        return write(name, element_type_of<T>(), std::as_bytes(values), shape, meaning);
    }
    template <Element T>
    OutputDataset write_scalar(std::string_view name, T value, const Meaning& meaning) {
        return write(name, element_type_of<T>(), std::as_bytes(std::span(&value, 1)), {}, meaning);
    }
    OutputDataset write_scalar(std::string_view name, bool value, const Meaning& meaning);
    OutputDataset write_scalar(std::string_view name, std::string_view value, const Meaning& meaning);
    OutputDataset write_texts(std::string_view name, std::span<const std::string> values, const Meaning& meaning);

  private:
    OutputDataset write(std::string_view name, ElementType type, std::span<const std::byte> values,
                        std::span<const std::uint64_t> shape, const Meaning& meaning);
};

}  // namespace lookahead::hdf5
