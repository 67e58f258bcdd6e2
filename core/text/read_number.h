#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace lookahead {

/// Returns whether the whole text is a number of type T; if so, sets `value` to it.
bool read_number(std::string_view text, auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace lookahead
