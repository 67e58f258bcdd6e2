#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lookahead::hdf5 {

/// The element types of the project's files; `other` for types of foreign files.
enum class ElementType { boolean, int32, int64, uint32, uint64, float64, text, other };

/// "uint64", as the schemas write it.
std::string_view name_of(ElementType type);

/// The element type of T; `other` if the project's files have no such type.
template <class T>
inline constexpr ElementType kElementType = ElementType::other;
template <>
inline constexpr ElementType kElementType<std::int32_t> = ElementType::int32;
template <>
inline constexpr ElementType kElementType<std::int64_t> = ElementType::int64;
template <>
inline constexpr ElementType kElementType<std::uint32_t> = ElementType::uint32;
template <>
inline constexpr ElementType kElementType<std::uint64_t> = ElementType::uint64;
template <>
inline constexpr ElementType kElementType<double> = ElementType::float64;

template <class T>
concept Element = kElementType<T>
!= ElementType::other;

}  // namespace lookahead::hdf5
