#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

/// Members of a struct that describe themselves, in one declaration each. A macro such as LOOKAHEAD_COUNTER makes the
/// member and, by LOOKAHEAD_DECLARE_MEMBER, a function that returns its description; the functions differ in the type
/// of their argument, the line in the file. After the last of these members the struct has LOOKAHEAD_ALL_DECLARED.
namespace lookahead {

template <int kLine>
struct DeclaredAt {};

template <class S>
concept DeclaresMembers = requires {
    S::kLastDeclaredLine;
};

namespace detail {

template <class S, int kLine>
concept DeclaresAt = requires {
    S::template declared<S>(DeclaredAt<kLine>{});
};

template <class S, int... kLines>
constexpr auto declared_lines(std::integer_sequence<int, kLines...>) {
    std::array<int, (std::size_t{0} + ... + (DeclaresAt<S, kLines> ? 1 : 0))> lines{};
    std::size_t found = 0;
    ((DeclaresAt<S, kLines> ? void(lines[found++] = kLines) : void()), ...);
    return lines;
}

}  // namespace detail

/// The descriptions of the members of S, in their order: a std::tuple.
template <DeclaresMembers S>
constexpr auto declared_members() {
    constexpr auto lines = detail::declared_lines<S>(std::make_integer_sequence<int, S::kLastDeclaredLine>{});
    return [&]<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
        return std::tuple{S::template declared<S>(DeclaredAt<lines[kPlaces]>{})...};
    }
    (std::make_index_sequence<lines.size()>{});
}

}  // namespace lookahead

/// Declares the description of the member that follows on the same line; in it, `Self` is the struct.
#define LOOKAHEAD_DECLARE_MEMBER(...)                                   \
    template <class Self>                                               \
    static constexpr auto declared(::lookahead::DeclaredAt<__LINE__>) { \
        return __VA_ARGS__;                                             \
    }

#define LOOKAHEAD_ALL_DECLARED static constexpr int kLastDeclaredLine = __LINE__
