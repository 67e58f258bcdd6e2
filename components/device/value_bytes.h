#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace lookahead {

/// Whether every bit of a T is one of its value's, as far as the language tells.
template <class T>
inline constexpr bool is_without_padding = std::is_arithmetic_v<T> || std::has_unique_object_representations_v<T>;

/// Copies a value's bytes to `to`, which is aligned for T; those that lie between the members of structs are 0. There a
/// value has whatever its memory held before, which differs from one process to the next, while a device's memory and a
/// kernel's parameters are part of `state_hash` and of captures.
template <class T>
void copy_value_bytes(std::byte* to, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(to, &value, sizeof(T));
// Clang 14 has no such function: its builds are for fuzzing, and compare no hashes of different processes.
#if __has_builtin(__builtin_clear_padding)
    if constexpr (!is_without_padding<T>) __builtin_clear_padding(reinterpret_cast<T*>(to));
#endif
}

}  // namespace lookahead
