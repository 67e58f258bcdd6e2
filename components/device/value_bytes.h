#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace lookahead {

/// Whether every bit of a T belongs to its value, as far as the language can tell.
template <class T>
inline constexpr bool is_without_padding = std::is_arithmetic_v<T> || std::has_unique_object_representations_v<T>;

/// Copies a value's bytes to `to`, which must be aligned for T; padding between the members of structs becomes 0.
/// Padding holds earlier contents of memory, which differ between processes, while a device's memory and a kernel's
/// parameters are part of `state_hash` and of captures.
template <class T>
void copy_value_bytes(std::byte* to, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(to, &value, sizeof(T));
// Clang 14 has no such function: its builds are for fuzzing, and do not compare hashes of different processes.
#if __has_builtin(__builtin_clear_padding)
    if constexpr (!is_without_padding<T>) { __builtin_clear_padding(reinterpret_cast<T*>(to)); }
#endif
}

}  // namespace lookahead
