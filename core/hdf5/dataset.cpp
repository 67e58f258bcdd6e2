#include "core/hdf5/dataset.h"

#include <hdf5.h>
#include <hdf5_hl.h>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

/// An element of REFERENCE_LIST, the attribute by which a scale names its users (HDF5 Dimension Scale Specification).
struct ScaleUser {
    hobj_ref_t dataset;
    int dimension;
};

hobj_ref_t reference_to(const Dataset& dataset) {
    hobj_ref_t reference = 0;
    check(H5Rcreate(&reference, dataset.id(), ".", H5R_OBJECT, -1), dataset.id(),
          [&] { return fmt::format("refer to {}", dataset.name()); });
    return reference;
}

void write_list(const Dataset& dataset, const char* name, const Handle& type, hsize_t count, const void* values) {
    const Handle space = column_space(count);
    const Handle attribute(H5Acreate2(dataset.id(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const auto action = [&] { return fmt::format("write the attribute {} of {}", name, dataset.name()); };
    check(attribute.get(), dataset.id(), action);
    check(H5Awrite(attribute.get(), type.get(), values), dataset.id(), action);
}

/// Selects `count` elements of a column from `first` on.
Handle part_of(Id dataset, std::uint64_t first, std::uint64_t count) {
    const hsize_t begin = first;
    const hsize_t length = count;
    Handle space(H5Dget_space(dataset), H5Sclose);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &begin, nullptr, &length, nullptr);
    return space;
}

Handle scale_user_type() {
    Handle type(H5Tcreate(H5T_COMPOUND, sizeof(ScaleUser)), H5Tclose);
    H5Tinsert(type.get(), "dataset", HOFFSET(ScaleUser, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type.get(), "dimension", HOFFSET(ScaleUser, dimension), H5T_NATIVE_INT);
    return type;
}

}  // namespace

ElementType Dataset::type() const {
    const Handle type(H5Dget_type(id()), H5Tclose);
    return element_type_of(check(type.get(), id(), fmt::format("read the type of {}", name())));
}

std::vector<std::uint64_t> Dataset::shape() const {
    const Handle space(H5Dget_space(id()), H5Sclose);
    const int rank = check(H5Sget_simple_extent_ndims(space.get()), id(),
                           [&] { return fmt::format("read the shape of {}", name()); });
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    return {extents.begin(), extents.end()};
}

std::uint64_t Dataset::size() const {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : shape()) {
        if (__builtin_mul_overflow(product, extent, &product)) {
            throw InputError("{}: {} has more elements than possible", file_name(), name());
        }
    }
    return product;
}

void Dataset::read_into(ElementType type, void* values) const {
    if (size() > 0) {
        check(H5Dread(id(), type_in_memory(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), id(),
              fmt::format("read {}", name()));
    }
}

void Dataset::read_part_into(ElementType type, void* values, std::uint64_t first, std::uint64_t count) const {
    const auto extents = shape();
    if (extents.size() != 1 || first > extents.front() || count > extents.front() - first) {
        throw InputError("{}: {} is too short: {} elements are to begin at {}", file_name(), name(), count, first);
    }
    if (count > 0) {
        const Handle part = part_of(id(), first, count);
        check(H5Dread(id(), type_in_memory(type), column_space(count).get(), part.get(), H5P_DEFAULT, values), id(),
              [&] { return fmt::format("read {}", name()); });
    }
}

void Dataset::append_from(ElementType type, const void* values, std::uint64_t count) {
    if (count == 0) { return; }
    const std::uint64_t first = size();
    const hsize_t extent = first + count;
    const auto action = [&] { return fmt::format("append to {}", name()); };
    check(H5Dset_extent(id(), &extent), id(), action);
    const Handle part = part_of(id(), first, count);
    check(H5Dwrite(id(), type_in_memory(type), column_space(count).get(), part.get(), H5P_DEFAULT, values), id(),
          action);
}

std::vector<std::string> Dataset::read_texts() const {
    if (type() != ElementType::text) {
        throw InputError("{}: {} does not hold variable-length texts", file_name(), name());
    }
    std::vector<char*> pointers(size(), nullptr);
    if (pointers.empty()) { return {}; }
    read_into(ElementType::text, pointers.data());
    return take_texts(pointers, Handle(H5Dget_space(id()), H5Sclose).get());
}

std::vector<std::byte> Dataset::read_bytes() const {
    const Handle stored(H5Dget_type(id()), H5Tclose);
    check(stored.get(), id(), fmt::format("read the type of {}", name()));
    if (H5Tdetect_class(stored.get(), H5T_VLEN) > 0 || H5Tis_variable_str(stored.get()) > 0) {
        throw InputError("{}: {} holds variable-length elements, which have no fixed bytes", file_name(), name());
    }
    std::size_t byte_count = 0;
    if (__builtin_mul_overflow(size(), H5Tget_size(stored.get()), &byte_count)) {
        throw InputError("{}: {} has more elements than possible", file_name(), name());
    }
    std::vector<std::byte> bytes(byte_count);
    if (!bytes.empty()) {
        check(H5Dread(id(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), id(),
              fmt::format("read {}", name()));
    }
    return bytes;
}

void Dataset::make_scale(std::string_view dimension_name) {
    check(H5DSset_scale(id(), std::string(dimension_name).c_str()), id(),
          [&] { return fmt::format("make {} a dimension scale", name()); });
}

bool Dataset::is_scale() const {
    return H5DSis_scale(id()) > 0;
}

void Dataset::attach_scale(unsigned dimension, const Dataset& scale) {
    check(H5DSattach_scale(id(), scale.id(), dimension), id(),
          [&] { return fmt::format("attach a dimension scale to {}", name()); });
}

bool Dataset::has_scale(unsigned dimension, const Dataset& scale) const {
    return H5DSis_attached(id(), scale.id(), dimension) > 0;
}

void attach_scales(std::span<const Dataset> columns, const std::vector<const Dataset*>& scales) {
    if (columns.empty()) { return; }
    std::vector<hobj_ref_t> references;
    for (const Dataset* scale : scales) { references.push_back(reference_to(*scale)); }
    std::vector<hvl_t> dimensions;  // each has one scale
    for (hobj_ref_t& reference : references) { dimensions.push_back({1, &reference}); }
    const Handle list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    std::vector<ScaleUser> users;
    for (const Dataset& column : columns) {
        write_list(column, "DIMENSION_LIST", list, dimensions.size(), dimensions.data());
        users.push_back({reference_to(column), 0});
    }
    const Handle user = scale_user_type();
    for (std::size_t dimension = 0; dimension < scales.size(); ++dimension) {
        for (ScaleUser& each : users) { each.dimension = static_cast<int>(dimension); }
        write_list(*scales[dimension], "REFERENCE_LIST", user, users.size(), users.data());
    }
}

}  // namespace lookahead::hdf5
