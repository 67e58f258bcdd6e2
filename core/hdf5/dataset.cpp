#include "core/hdf5/dataset.h"

#include <hdf5.h>
#include <hdf5_hl.h>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

ElementType Dataset::type() const {
    const Handle type(H5Dget_type(id()), H5Tclose);
    return element_type_of(check(type.get(), id(), "read the type of " + name()));
}

std::vector<std::uint64_t> Dataset::shape() const {
    const Handle space(H5Dget_space(id()), H5Sclose);
    const int rank =
        check(H5Sget_simple_extent_ndims(space.get()), id(), [&] { return "read the shape of " + name(); });
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    return {extents.begin(), extents.end()};
}

std::uint64_t Dataset::size() const {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : shape()) {
        product *= extent;
    }
    return product;
}

void Dataset::read_into(ElementType type, void* values) const {
    if (size() > 0) {
        check(H5Dread(id(), type_in_memory(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), id(), "read " + name());
    }
}

std::vector<std::string> Dataset::read_texts() const {
    if (type() != ElementType::text) {
        throw InputError(file_name() + ": " + name() + " does not hold variable-length texts");
    }
    const std::size_t count = size();
    std::vector<char*> pointers(count, nullptr);
    read_into(ElementType::text, pointers.data());
    std::vector<std::string> texts;
    texts.reserve(count);
    for (const char* pointer : pointers) {
        texts.emplace_back(pointer == nullptr ? "" : pointer);
    }
    if (count > 0) {
        const Handle space(H5Dget_space(id()), H5Sclose);
        H5Dvlen_reclaim(type_in_memory(ElementType::text), space.get(), H5P_DEFAULT, pointers.data());
    }
    return texts;
}

std::vector<std::byte> Dataset::read_bytes() const {
    const Handle stored(H5Dget_type(id()), H5Tclose);
    check(stored.get(), id(), "read the type of " + name());
    if (H5Tdetect_class(stored.get(), H5T_VLEN) > 0 || H5Tis_variable_str(stored.get()) > 0) {
        throw InputError(file_name() + ": " + name() + " holds variable-length elements, which have no fixed bytes");
    }
    std::vector<std::byte> bytes(size() * H5Tget_size(stored.get()));
    if (!bytes.empty()) {
        check(H5Dread(id(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), id(), "read " + name());
    }
    return bytes;
}

bool Dataset::is_scale() const {
    return H5DSis_scale(id()) > 0;
}

bool Dataset::has_scale(unsigned dimension, const Dataset& scale) const {
    return H5DSis_attached(id(), scale.id(), dimension) > 0;
}

}  // namespace lookahead::hdf5
