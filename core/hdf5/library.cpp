#include "core/hdf5/library.h"

#include <hdf5.h>

#include <array>

#include <fmt/format.h>

#include "core/error/error.h"

namespace lookahead::hdf5 {

static_assert(sizeof(Id) == sizeof(hid_t));

namespace {

/// Keeps the description of the innermost error, which an upward walk meets first.
herr_t keep_first(unsigned number, const H5E_error2_t* error, void* text) {
    if (number == 0 && error->desc != nullptr) { *static_cast<std::string*>(text) = error->desc; }
    return 0;
}

/// The part of HDF5's description for users: "truncated file" of "truncated file: eof = 2000, ..", or the system's
/// message for a failed access.
std::string reason_for_users(const std::string& description) {
    constexpr std::string_view kMessage = "error message = '";
    const std::string what = description.substr(0, description.find(':'));
    const std::size_t begin = description.find(kMessage);
    if (begin != std::string::npos) {
        const std::string rest = description.substr(begin + kMessage.size());
        return fmt::format("{}: {}", what, rest.substr(0, rest.find('\'')));
    }
    return description.find(" = ") == std::string::npos ? description : what;
}

Id text_type() {
    const Id type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/// The enumeration that h5py reads as bool.
Id boolean_type() {
    const Id type = H5Tenum_create(H5T_NATIVE_INT8);
    std::int8_t value = 0;
    H5Tenum_insert(type, "FALSE", &value);
    value = 1;
    H5Tenum_insert(type, "TRUE", &value);
    return type;
}

}  // namespace

std::string_view name_of(ElementType type) {
    static constexpr std::array<std::string_view, 8> kNames{"boolean", "int32",   "int64", "uint32",
                                                            "uint64",  "float64", "text",  "other"};
    return kNames[static_cast<std::size_t>(type)];
}

void prepare() {
    constexpr int kUnlimited = -1;
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    // Creation times would make the files of equal results differ. Datasets share the default list of properties:
    // copying another list would take a seventh of the time to create and close a dataset.
    H5Pset_obj_track_times(H5P_DATASET_CREATE_DEFAULT, false);
    H5set_free_list_limits(kUnlimited, kUnlimited, kUnlimited, kUnlimited, kUnlimited, kUnlimited);
}

Handle access_properties() {
    Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(properties.get(), H5F_CLOSE_SEMI);
    H5Pset_libver_bounds(properties.get(), H5F_LIBVER_V18, H5F_LIBVER_V110);
    constexpr hsize_t kMetadataBytes = 16 * 1024;  // adjacent headers are written at once
    H5Pset_meta_block_size(properties.get(), kMetadataBytes);
    return properties;
}

Handle creation_properties() {
    Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.get(), false);
    return properties;
}

void fail(const std::string& path, const std::string& action) {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_first, &reason);
    H5Eclear2(H5E_DEFAULT);
    reason = reason_for_users(reason);
    throw InputError("{}: cannot {}{}", path, action, (reason.empty() ? "" : fmt::format(": {}", reason)));
}

std::string file_name_of(Id object) {
    // The caller's error is still on HDF5's stack; a query of the name would clear it.
    const hid_t stack = H5Eget_current_stack();
    std::array<char, 4096> buffer{};
    const auto length = H5Fget_name(object, buffer.data(), buffer.size());
    H5Eset_current_stack(stack);
    return length < 0 ? "HDF5 file" : buffer.data();
}

Id type_in_memory(ElementType type) {
    // In the order of ElementType.
    static const std::array<Id, 7> types{boolean_type(),    H5T_NATIVE_INT32,  H5T_NATIVE_INT64, H5T_NATIVE_UINT32,
                                         H5T_NATIVE_UINT64, H5T_NATIVE_DOUBLE, text_type()};
    if (type == ElementType::other) { throw InternalError("there is no HDF5 type for this element type"); }
    return types[static_cast<std::size_t>(type)];
}

std::vector<std::string> take_texts(std::vector<char*>& pointers, Id space) {
    std::vector<std::string> texts;
    for (const char* pointer : pointers) { texts.emplace_back(pointer == nullptr ? "" : pointer); }
    H5Dvlen_reclaim(type_in_memory(ElementType::text), space, H5P_DEFAULT, pointers.data());
    return texts;
}

std::vector<const char*> pointers_to(std::span<const std::string> texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) { pointers.push_back(text.c_str()); }
    return pointers;
}

Id scalar_space() {
    static const Id space = H5Screate(H5S_SCALAR);
    return space;
}

Handle array_space(std::span<const std::uint64_t> shape) {
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose};
}

Handle column_space(std::uint64_t rows) {
    return array_space({&rows, 1});
}

ElementType element_type_of(Id type) {
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) { return ElementType::text; }
    for (const auto candidate : {ElementType::int32, ElementType::int64, ElementType::uint32, ElementType::uint64,
                                 ElementType::float64, ElementType::boolean}) {
        if (H5Tequal(type, type_in_memory(candidate)) > 0) { return candidate; }
    }
    return ElementType::other;
}

}  // namespace lookahead::hdf5
