#pragma once

#include <string>
#include <type_traits>

#include "core/hdf5/element_type.h"
#include "core/hdf5/handle.h"

/// For the .cpp files of this folder: HDF5's errors as exceptions, and its type identifiers.
namespace lookahead::hdf5 {

/// Called before the first use of the library: keeps HDF5 from printing its own errors, from looking again and again for
/// freed memory that it could give back, and from giving all of it back when the process ends.
void prepare();

/// For opening a file: it must be closed by nobody but us, since an object left open would keep it incomplete.
Handle access_properties();
/// For making one: times of creation would make equal results differ.
Handle creation_properties();

/// What fail() says of a file that HDF5 does not open.
constexpr const char* kOpenAction = "read as an HDF5 file (is it truncated, or of another kind?)";

/// Throws InputError: "PATH: cannot ACTION: REASON", with the innermost reason that HDF5 gives.
[[noreturn]] void fail(const std::string& path, const std::string& action);

/// The path of the file that an object is in.
std::string file_name_of(Id object);

/// Throws, naming the file of `object`, if an HDF5 result is negative. `action`: a text, or what makes it, where that is
/// not worth doing for every success.
template <class Result, class Action>
Result check(Result result, Id object, const Action& action) {
    if (result < 0) {
        if constexpr (std::is_invocable_v<const Action&>) {
            fail(file_name_of(object), action());
        } else {
            fail(file_name_of(object), action);
        }
    }
    return result;
}

/// The type in memory (equal to that in the file on little-endian hosts). One identifier for all uses, which nobody closes.
Id type_in_memory(ElementType type);

/// The shape of a single value, likewise.
Id scalar_space();

/// The project's element type behind an HDF5 type.
ElementType element_type_of(Id type);

}  // namespace lookahead::hdf5
