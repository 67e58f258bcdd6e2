#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/group.h"
#include "hdf5_schemas/dataset_name.h"

namespace lookahead {

/// 0, 1, … count - 1.
template <class T>
std::vector<T> numbers_below(std::size_t count) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{0});
    return values;
}

/// The values of one member, or the results of one function, for all items.
template <class Items, class F>
auto column_of(const Items& items, F&& value) {
    std::vector<std::decay_t<std::invoke_result_t<F&, decltype(*items.begin())>>> values;
    values.reserve(items.size());
    for (const auto& item : items) { values.push_back(std::invoke(value, item)); }
    return values;
}

/// A written 1-D dataset of numbers or texts, and its length.
struct StoredColumn {
    hdf5::Dataset dataset;
    std::uint64_t size;
};

template <class T>
StoredColumn write_column(hdf5::Group& group, const std::string& name, const hdf5::Meaning& meaning,
                          const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, std::string>) {
        return {group.write_texts(name, values, meaning), values.size()};
    } else {
        return {group.write_column<T>(name, values, meaning), values.size()};
    }
}

template <class T>
StoredColumn write_scale(hdf5::Group& group, const char* name, const hdf5::Meaning& meaning,
                         const std::vector<T>& values) {
    StoredColumn scale = write_column(group, name, meaning, values);
    scale.dataset.make_scale(name);
    return scale;
}
template <class T>
StoredColumn write_scale(hdf5::Group& group, const DatasetName& name, const std::vector<T>& values) {
    return write_scale(group, name.name, meaning_of(name), values);
}

/// Writes a table: its scale, then its columns; finish() attaches all of these to the scale.
class TableWriter {
  public:
    template <class T>
    TableWriter(hdf5::Group& group, const DatasetName& name, const std::vector<T>& numbers)
        : group_(group), scale_(write_scale(group, name, numbers)) {}

    template <class T>
    void write(const DatasetName& name, const std::vector<T>& values) {
        write(name.name, meaning_of(name), values);
    }
    template <class T>
    void write(const std::string& name, const hdf5::Meaning& meaning, const std::vector<T>& values) {
        LOOKAHEAD_ASSERT(values.size() == scale_.size, "the column {} is not as long as its table", name);
        columns_.push_back(write_column(group_, name, meaning, values).dataset);
    }
    /// Writes the column of one member, or of one function's results, for all rows.
    template <class Rows, class Member>
    void write(const DatasetName& name, const Rows& rows, Member member) {
        write(name, column_of(rows, member));
    }

    const StoredColumn& scale() const { return scale_; }
    void finish() { hdf5::attach_scales(columns_, {&scale_.dataset}); }

  private:
    hdf5::Group& group_;
    StoredColumn scale_;
    std::vector<hdf5::Dataset> columns_;
};

inline std::vector<std::uint64_t> shape_of(std::initializer_list<const StoredColumn*> scales) {
    return column_of(scales, [](const StoredColumn* scale) { return scale->size; });
}

inline void attach_scales(hdf5::Dataset& dataset, std::initializer_list<const StoredColumn*> scales) {
    unsigned dimension = 0;
    for (const StoredColumn* scale : scales) { dataset.attach_scale(dimension++, scale->dataset); }
}

/// Writes an array of numbers with a scale for each dimension.
template <class T>
void write_scaled(hdf5::Group& group, const DatasetName& name, const std::vector<T>& values,
                  std::initializer_list<const StoredColumn*> scales,
                  hdf5::Storage storage = hdf5::Storage::compressed) {
    hdf5::Dataset dataset = group.write_array<T>(name.name, values, shape_of(scales), meaning_of(name), storage);
    attach_scales(dataset, scales);
}

}  // namespace lookahead
