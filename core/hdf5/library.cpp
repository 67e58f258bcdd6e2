#include "core/hdf5/library.h"

#include <hdf5.h>

#include <array>

#include "core/error/error.h"

namespace lookahead::hdf5 {

static_assert(sizeof(Id) == sizeof(hid_t));

namespace {

/// Keeps the description of the innermost error, which is the last one of an upward walk's start.
herr_t keep_first(unsigned number, const H5E_error2_t* error, void* text) {
    if (number == 0 && error->desc != nullptr) {
        *static_cast<std::string*>(text) = error->desc;
    }
    return 0;
}

Handle text_type() {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

/// The enumeration that h5py reads as bool.
Handle boolean_type() {
    Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
    std::int8_t value = 0;
    H5Tenum_insert(type.get(), "FALSE", &value);
    value = 1;
    H5Tenum_insert(type.get(), "TRUE", &value);
    return type;
}

}  // namespace

std::string_view name_of(ElementType type) {
    static constexpr std::array<std::string_view, 8> kNames{"boolean", "int32",   "int64", "uint32",
                                                            "uint64",  "float64", "text",  "other"};
    return kNames[static_cast<std::size_t>(type)];
}

void silence() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void fail(const std::string& path, const std::string& action) {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_first, &reason);
    H5Eclear2(H5E_DEFAULT);
    throw InputError(path + ": cannot " + action + (reason.empty() ? "" : ": " + reason));
}

std::string file_name_of(Id object) {
    // The caller's error is still on HDF5's stack; asking for the name would clear it.
    const hid_t stack = H5Eget_current_stack();
    std::array<char, 4096> buffer{};
    const auto length = H5Fget_name(object, buffer.data(), buffer.size());
    H5Eset_current_stack(stack);
    return length < 0 ? "HDF5 file" : buffer.data();
}

Handle make_type(ElementType type) {
    switch (type) {
        case ElementType::boolean:
            return boolean_type();
        case ElementType::text:
            return text_type();
        case ElementType::int32:
            return {H5Tcopy(H5T_NATIVE_INT32), H5Tclose};
        case ElementType::int64:
            return {H5Tcopy(H5T_NATIVE_INT64), H5Tclose};
        case ElementType::uint32:
            return {H5Tcopy(H5T_NATIVE_UINT32), H5Tclose};
        case ElementType::uint64:
            return {H5Tcopy(H5T_NATIVE_UINT64), H5Tclose};
        case ElementType::float64:
            return {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
        case ElementType::other:
            break;
    }
    throw InternalError("there is no HDF5 type for this element type");
}

ElementType element_type_of(Id type) {
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
        return ElementType::text;
    }
    for (const auto candidate : {ElementType::int32, ElementType::int64, ElementType::uint32, ElementType::uint64,
                                 ElementType::float64, ElementType::boolean}) {
        if (H5Tequal(type, make_type(candidate).get()) > 0) {
            return candidate;
        }
    }
    return ElementType::other;
}

}  // namespace lookahead::hdf5
