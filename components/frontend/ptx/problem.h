#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>

namespace lookahead::ptx {

/// An error in a PTX text, thrown inside the front end; parse_module adds the file's name and throws InputError.
struct Problem {
    std::uint32_t line = 0;
    std::string message;
    std::string statement;  ///< the text of the instruction or declaration, if known
};

[[noreturn]] inline void fail(std::uint32_t line, std::string message) {
    throw Problem{line, std::move(message), {}};
}
/// The same with a format and its arguments.
template <class First, class... Rest>
[[noreturn]] void fail(std::uint32_t line, fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
    fail(line, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
}

}  // namespace lookahead::ptx
