#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hdf5/dataset.h"
#include "core/hdf5/object.h"

namespace lookahead::hdf5 {

/// The attributes of every dataset. Units are a singular noun, or empty for pure numbers and names. Viewers label an
/// axis with `long_name`; if it is empty the dataset has no such attribute.
struct Meaning {
    std::string_view units;
    std::string_view description;
    std::string_view long_name = {};
};

/// How a large array is stored: in compressed chunks, or plain, which makes reading and writing many times faster.
enum class Storage { compressed, plain };

enum class LinkKind { group, dataset, other };

class Group : public Object {
  public:
    using Object::Object;
    static Group root_of(Id file);

    Group create_group(std::string_view name);
    Group open_group(std::string_view name) const;
    Dataset open_dataset(std::string_view name) const;

    bool has(std::string_view name) const;
    std::vector<std::string> names() const;  ///< in alphabetical order
    LinkKind kind_of(std::string_view name) const;

    /// A 1-D dataset. Large ones are chunked, shuffled and compressed (gzip 1).
    template <Element T>
    Dataset write_column(std::string_view name, std::span<const T> values, const Meaning& meaning) {
        const std::uint64_t rows = values.size();
        return write(name, kElementType<T>, values.data(), {&rows, 1}, meaning);
    }
    /// An empty 1-D dataset for Dataset::append, chunked, shuffled and compressed.
    template <Element T>
    Dataset create_growing_column(std::string_view name, const Meaning& meaning) {
        return create_growing(name, kElementType<T>, meaning);
    }
    /// A dataset of the given shape, in row-major order; values.size() must be its product.
    template <Element T>
    Dataset write_array(std::string_view name, std::span<const T> values, std::span<const std::uint64_t> shape,
                        const Meaning& meaning, Storage storage = Storage::compressed) {
        check_size(name, values.size(), shape);
        return write(name, kElementType<T>, values.data(), shape, meaning, storage);
    }
    template <Element T>
    Dataset write_scalar(std::string_view name, T value, const Meaning& meaning) {
        return write(name, kElementType<T>, &value, {}, meaning);
    }
    Dataset write_scalar(std::string_view name, bool value, const Meaning& meaning);
    Dataset write_scalar(std::string_view name, std::string_view value, const Meaning& meaning);
    Dataset write_texts(std::string_view name, std::span<const std::string> values, const Meaning& meaning);

  private:
    Dataset create_growing(std::string_view name, ElementType type, const Meaning& meaning);
    void check_size(std::string_view name, std::uint64_t size, std::span<const std::uint64_t> shape) const;
    Dataset write(std::string_view name, ElementType type, const void* values, std::span<const std::uint64_t> shape,
                  const Meaning& meaning, Storage storage = Storage::compressed);
};

}  // namespace lookahead::hdf5
