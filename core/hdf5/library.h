#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/hdf5/element_type.h"
#include "core/hdf5/handle.h"

/// For the .cpp files of this folder: HDF5's errors as exceptions, and its type identifiers.
namespace lookahead::hdf5 {

/// Call before the first use of the library. Stops HDF5 from printing its own errors, from repeatedly searching for
/// freed memory to give back, and from giving back all memory when the process ends.
void prepare();

/// Properties for opening a file. Closing the file then fails if an object is still open, because that would keep the
/// file incomplete.
Handle access_properties();
/// Properties for making a file, without creation times, which would make the files of equal results differ.
Handle creation_properties();

/// The action that fail() names for a file that HDF5 does not open.
constexpr const char* kOpenAction = "read as an HDF5 file (is it truncated, or not an HDF5 file?)";

/// Throws InputError: "PATH: cannot ACTION: REASON", with the innermost reason that HDF5 gives.
[[noreturn]] void fail(const std::string& path, const std::string& action);

/// The path of the file that an object is in.
std::string file_name_of(Id object);

/// Returns an HDF5 result; throws, naming the file of `object`, if it is negative. `action` is a text, or a function
/// that makes the text, if that would take too long for every success.
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

/// The type of elements in memory (equal to the file's on little-endian hosts). All callers get the same identifier; do
/// not close it.
Id type_in_memory(ElementType type);

/// Returns the texts that HDF5 read into `pointers`, with an empty text for a null pointer, and frees HDF5's copies.
std::vector<std::string> take_texts(std::vector<char*>& pointers, Id space);

/// Pointers to the texts, as HDF5 takes them; valid as long as the texts are.
std::vector<const char*> pointers_to(std::span<const std::string> texts);

/// The shape of a single value; all callers get the same identifier, too.
Id scalar_space();
Handle array_space(std::span<const std::uint64_t> shape);
Handle column_space(std::uint64_t rows);

/// The project's element type for an HDF5 type.
ElementType element_type_of(Id type);

}  // namespace lookahead::hdf5
