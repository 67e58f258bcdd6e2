#include "core/hdf5/group.h"

#include <hdf5.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

/// Below this size compression saves less than it costs.
constexpr std::uint64_t kLargeBytes = 16 * 1024;
constexpr std::uint64_t kRowsPerChunk = 256;
constexpr std::uint64_t kElementsPerChunk = 8192;

std::uint64_t product(std::span<const std::uint64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies());
}

/// Chunks of whole rows, of at most 8192 elements or 256 rows, whichever is more.
std::vector<hsize_t> chunk_shape(std::span<const std::uint64_t> shape) {
    std::vector<hsize_t> chunk(shape.begin(), shape.end());
    chunk[0] =
        std::min<std::uint64_t>(shape[0], std::max(kRowsPerChunk, kElementsPerChunk / product(shape.subspan(1))));
    return chunk;
}

Handle chunked_properties(std::span<const hsize_t> chunk, Storage storage) {
    Handle properties(H5Pcopy(H5P_DATASET_CREATE_DEFAULT), H5Pclose);
    H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
    if (storage == Storage::compressed) {
        H5Pset_shuffle(properties.get());
        H5Pset_deflate(properties.get(), 1);
    }
    return properties;
}

Handle create_dataset(Id group, const std::string& name, Id element, Id space, std::span<const std::uint64_t> shape,
                      std::uint64_t bytes, Storage storage) {
    const bool chunked = !shape.empty() && bytes >= kLargeBytes;
    const Handle properties = chunked ? chunked_properties(chunk_shape(shape), storage) : Handle();
    return {H5Dcreate2(group, name.c_str(), element, space, H5P_DEFAULT, chunked ? properties.get() : H5P_DEFAULT,
                       H5P_DEFAULT),
            H5Dclose};
}

/// HDF5 converts texts in a buffer of 1 MiB by default and clears it for every write, which costs more than the rest of
/// a column of names. So the buffer gets the size of the texts.
Handle transfer_properties(std::uint64_t bytes) {
    constexpr std::uint64_t kLeastBytes = 256;
    constexpr std::uint64_t kMostBytes = 1024 * 1024;
    Handle properties(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    H5Pset_buffer(properties.get(), std::clamp(bytes, kLeastBytes, kMostBytes), nullptr, nullptr);
    return properties;
}

herr_t write_values(const Dataset& dataset, ElementType type, const void* values, std::uint64_t bytes) {
    const auto write = [&](Id transfer) {
        return H5Dwrite(dataset.id(), type_in_memory(type), H5S_ALL, H5S_ALL, transfer, values);
    };
    return type == ElementType::text ? write(transfer_properties(bytes).get()) : write(H5P_DEFAULT);
}

Dataset with_meaning(Dataset dataset, const Meaning& meaning) {
    dataset.set_attribute("units", meaning.units);
    dataset.set_attribute("description", meaning.description);
    if (!meaning.long_name.empty()) { dataset.set_attribute("long_name", meaning.long_name); }
    return dataset;
}

/// The object that HDF5 has opened or created from `place`. `what`: "open group NAME".
template <class Opened>
Opened opened(Handle handle, Id place, const std::string& what) {
    check(handle.get(), place, what);
    return Opened(std::move(handle));
}

}  // namespace

Group Group::root_of(Id file) {
    return opened<Group>({H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose}, file, "open /");
}

Group Group::create_group(std::string_view name) {
    return opened<Group>({H5Gcreate2(id(), std::string(name).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose},
                         id(), fmt::format("create group {}", name));
}

Group Group::open_group(std::string_view name) const {
    return opened<Group>({H5Gopen2(id(), std::string(name).c_str(), H5P_DEFAULT), H5Gclose}, id(),
                         fmt::format("open group {}", name));
}

Dataset Group::open_dataset(std::string_view name) const {
    return opened<Dataset>({H5Dopen2(id(), std::string(name).c_str(), H5P_DEFAULT), H5Dclose}, id(),
                           fmt::format("open dataset {}", name));
}

bool Group::has(std::string_view name) const {
    return H5Lexists(id(), std::string(name).c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Group::names() const {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    check(H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, +add, &names), id(), fmt::format("list {}", name()));
    std::sort(names.begin(), names.end());
    return names;
}

LinkKind Group::kind_of(std::string_view name) const {
    const Handle object(H5Oopen(id(), std::string(name).c_str(), H5P_DEFAULT), H5Oclose);
    const H5I_type_t type = H5Iget_type(check(object.get(), id(), fmt::format("open {}", name)));
    return type == H5I_GROUP ? LinkKind::group : type == H5I_DATASET ? LinkKind::dataset : LinkKind::other;
}

void Group::check_size(std::string_view name, std::uint64_t size, std::span<const std::uint64_t> shape) const {
    LOOKAHEAD_ASSERT(product(shape) == size, "the values of {} do not fill its shape", name);
}

Dataset Group::create_growing(std::string_view name, ElementType type, const Meaning& meaning) {
    const hsize_t none = 0;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hsize_t chunk = kElementsPerChunk;
    const Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose);
    Handle handle(H5Dcreate2(id(), std::string(name).c_str(), type_in_memory(type), space.get(), H5P_DEFAULT,
                             chunked_properties({&chunk, 1}, Storage::compressed).get(), H5P_DEFAULT),
                  H5Dclose);
    check(handle.get(), id(), [&] { return fmt::format("create dataset {}", name); });
    return with_meaning(Dataset(std::move(handle)), meaning);
}

Dataset Group::write(std::string_view name, ElementType type, const void* values, std::span<const std::uint64_t> shape,
                     const Meaning& meaning, Storage storage) {
    const Id element = type_in_memory(type);
    const std::uint64_t points = product(shape);
    // A text takes a pointer in memory and twice that in the file.
    const std::uint64_t bytes = points * H5Tget_size(element) * (type == ElementType::text ? 2 : 1);
    const Handle array = shape.empty() ? Handle() : array_space(shape);
    Handle handle = create_dataset(id(), std::string(name), element, shape.empty() ? scalar_space() : array.get(),
                                   shape, bytes, storage);
    check(handle.get(), id(), [&] { return fmt::format("create dataset {}", name); });
    Dataset dataset(std::move(handle));
    if (points > 0) {
        check(write_values(dataset, type, values, bytes), id(), [&] { return fmt::format("write dataset {}", name); });
    }
    return with_meaning(std::move(dataset), meaning);
}

Dataset Group::write_scalar(std::string_view name, bool value, const Meaning& meaning) {
    const std::int8_t stored = value ? 1 : 0;
    return write(name, ElementType::boolean, &stored, {}, meaning);
}

Dataset Group::write_scalar(std::string_view name, std::string_view value, const Meaning& meaning) {
    const std::string text(value);
    const char* pointer = text.c_str();
    return write(name, ElementType::text, &pointer, {}, meaning);
}

Dataset Group::write_texts(std::string_view name, std::span<const std::string> values, const Meaning& meaning) {
    const std::vector<const char*> pointers = pointers_to(values);
    const std::uint64_t rows = values.size();
    return write(name, ElementType::text, pointers.data(), {&rows, 1}, meaning);
}

}  // namespace lookahead::hdf5
