#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/group.h"

namespace lookahead {

/// A dataset of a DraftGroup. What it says about itself is written with it and stays: making it a scale or attaching
/// one does nothing when its values are written again.
class DraftDataset {
  public:
    DraftDataset(hdf5::Dataset dataset, std::uint64_t size) : dataset_(std::move(dataset)), size_(size) {}

    /// Of the same size as before.
    template <class T>
    void write_again(const std::vector<T>& values);

    std::uint64_t size() const { return size_; }
    void make_scale(const char* dimension_name);
    void attach_scale(unsigned dimension, const DraftDataset& scale);
    void attach_to_columns(std::span<DraftDataset* const> columns);

  private:
    hdf5::Dataset dataset_;
    std::uint64_t size_;
    bool again_ = false;
};

/// A group of a file whose numbers may be written twice: first as a draft, when it is known how many there are but not yet
/// which, then again, which costs a tenth of making the dataset. Texts are the same both times.
class DraftGroup {
  public:
    explicit DraftGroup(hdf5::Group group) : group_(std::move(group)) {}

    /// For what is written once.
    hdf5::Group& group() { return group_; }
    /// Made at the first call.
    DraftGroup& child(const std::string& name);
    /// One that was written.
    const DraftDataset& dataset(const std::string& name) const { return datasets_.at(name); }

    template <class T>
    DraftDataset& write(const std::string& name, const hdf5::Meaning& meaning, const std::vector<T>& values) {
        const std::uint64_t rows = values.size();
        return write(name, meaning, values, std::span(&rows, 1));
    }
    template <class T>
    DraftDataset& write(const std::string& name, const hdf5::Meaning& meaning, const std::vector<T>& values,
                        std::span<const std::uint64_t> shape);

  private:
    hdf5::Group group_;
    std::map<std::string, std::unique_ptr<DraftGroup>> children_;
    std::map<std::string, DraftDataset> datasets_;
};

template <class T>
void DraftDataset::write_again(const std::vector<T>& values) {
    LOOKAHEAD_ASSERT(values.size() == size_, "a dataset is not as large as its draft");
    again_ = true;
    if constexpr (!std::is_same_v<T, std::string>) {
        if (!values.empty()) {
            dataset_.overwrite<T>(values);
        }
    }
}

template <class T>
DraftDataset& DraftGroup::write(const std::string& name, const hdf5::Meaning& meaning, const std::vector<T>& values,
                                std::span<const std::uint64_t> shape) {
    const auto found = datasets_.find(name);
    if (found != datasets_.end()) {
        found->second.write_again(values);
        return found->second;
    }
    hdf5::Dataset dataset = [&] {
        if constexpr (std::is_same_v<T, std::string>) {
            return group_.write_texts(name, values, meaning);
        } else {
            return group_.write_array<T>(name, values, shape, meaning);
        }
    }();
    return datasets_.emplace(name, DraftDataset(std::move(dataset), values.size())).first->second;
}

}  // namespace lookahead
