#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/group.h"
#include "core/hdf5/memory_file.h"

/// Two kinds of groups that tables are written to by the same code: into a file that is made, and over the numbers of a
/// file that was made from tables of the same names, texts and sizes. The second takes a hundredth of the time.
namespace lookahead {

/// Where in the bytes of a file the datasets' numbers lie, in the order in which they are written.
class NumberPlaces {
  public:
    void add(std::uint64_t offset, std::uint64_t bytes) { places_.push_back({offset, bytes}); }
    /// The offset of the next numbers, which take as many bytes as they did.
    std::uint64_t take(std::uint64_t bytes) {
        LOOKAHEAD_ASSERT(next_ < places_.size() && places_[next_].bytes == bytes,
                         "a table is not as large as in the draft of its file");
        return places_[next_++].offset;
    }

  private:
    struct Place {
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    std::vector<Place> places_;
    std::size_t next_ = 0;
};

/// A dataset of a FileGroup.
struct FileColumn {
    hdf5::Dataset dataset;
    std::uint64_t size;

    void make_scale(const char* dimension_name) { dataset.make_scale(dimension_name); }
    void attach_scale(unsigned dimension, const FileColumn& scale) { dataset.attach_scale(dimension, scale.dataset); }
};

class FileGroup {
  public:
    using Column = FileColumn;

    /// `places`: gets where the numbers lie; null if nobody will write over them.
    explicit FileGroup(hdf5::Group group, NumberPlaces* places = nullptr) : group_(std::move(group)), places_(places) {}

    /// Made if it is not there.
    FileGroup child(const std::string& name) {
        return FileGroup(group_.has(name) ? group_.open_group(name) : group_.create_group(name), places_);
    }
    /// A dataset that is there.
    FileColumn column(const std::string& name) const {
        hdf5::Dataset dataset = group_.open_dataset(name);
        const std::uint64_t size = dataset.size();
        return {std::move(dataset), size};
    }
    /// Nothing if it is not there.
    void remove(const std::string& name) {
        if (group_.has(name)) {
            group_.remove(name);
        }
    }
    template <class... Arguments>
    void set_attribute(Arguments&&... arguments) {
        group_.set_attribute(std::forward<Arguments>(arguments)...);
    }
    hdf5::Group& group() { return group_; }

    /// The scales of all columns, one for each dimension, which nothing is attached to yet.
    static void attach(std::vector<FileColumn> columns, std::initializer_list<const FileColumn*> scales) {
        std::vector<hdf5::Dataset> datasets;
        for (FileColumn& column : columns) {
            datasets.push_back(std::move(column.dataset));
        }
        std::vector<const hdf5::Dataset*> attached;
        for (const FileColumn* scale : scales) {
            attached.push_back(&scale->dataset);
        }
        hdf5::attach_scales(datasets, attached);
    }

    template <class T>
    FileColumn write(const std::string& name, const hdf5::Meaning& meaning, const std::vector<T>& values,
                     std::span<const std::uint64_t> shape) {
        if constexpr (std::is_same_v<T, std::string>) {
            return {group_.write_texts(name, values, meaning), values.size()};
        } else {
            const auto layout = places_ == nullptr ? hdf5::Layout::by_size : hdf5::Layout::in_place;
            hdf5::Dataset dataset = group_.write_array<T>(name, values, shape, meaning, layout);
            if (places_ != nullptr && !values.empty()) {
                places_->add(dataset.offset(), values.size() * sizeof(T));
            }
            return {std::move(dataset), values.size()};
        }
    }

  private:
    hdf5::Group group_;
    NumberPlaces* places_;
};

/// A dataset of an ImageGroup; what it says about itself was written when the file was made.
struct ImageColumn {
    std::uint64_t size;

    void make_scale(const char*) {}
    void attach_scale(unsigned, const ImageColumn&) {}
};

/// Any group of a file: what is written comes in the same order as when the file was made.
class ImageGroup {
  public:
    using Column = ImageColumn;

    /// `places`: those that the FileGroup got.
    ImageGroup(hdf5::FileImage& image, NumberPlaces& places) : image_(image), places_(places) {}

    ImageGroup child(const std::string&) const { return *this; }
    static void attach(const std::vector<ImageColumn>&, std::initializer_list<const ImageColumn*>) {}

    template <class T>
    ImageColumn write(const std::string&, const hdf5::Meaning&, const std::vector<T>& values,
                      std::span<const std::uint64_t>) {
        if constexpr (!std::is_same_v<T, std::string>) {
            const std::uint64_t bytes = values.size() * sizeof(T);
            if (bytes > 0) {
                std::memcpy(image_.bytes().data() + places_.take(bytes), values.data(), bytes);
            }
        }
        return {values.size()};
    }

  private:
    hdf5::FileImage& image_;
    NumberPlaces& places_;
};

}  // namespace lookahead
