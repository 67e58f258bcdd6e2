#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace lookahead::hdf5 {

/// The element types of the project's files; `other` for types of foreign files.
enum class ElementType { boolean, int32, int64, uint32, uint64, float64, text, other };

/// "uint64", as the schemas write it.
std::string_view name_of(ElementType type);

template <class T>
concept Element = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, double>;

template <Element T>
constexpr ElementType element_type_of() {
    if constexpr (std::same_as<T, std::int32_t>) {
        return ElementType::int32;
    } else if constexpr (std::same_as<T, std::int64_t>) {
        return ElementType::int64;
    } else if constexpr (std::same_as<T, std::uint32_t>) {
        return ElementType::uint32;
    } else if constexpr (std::same_as<T, std::uint64_t>) {
        return ElementType::uint64;
    } else {
        return ElementType::float64;
    }
}

}  // namespace lookahead::hdf5
