#include "core/param/parameter_value.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

namespace lookahead {

namespace {

std::string number_text(double value) {
    if (std::isnan(value)) { return "nan"; }
    if (std::isinf(value)) { return value > 0 ? "inf" : "-inf"; }
    std::array<char, 32> buffer{};
    const bool plain = std::abs(value) < 1e15 && value == std::trunc(value);
    auto* const last = buffer.data() + buffer.size();
    const auto end = plain ? std::to_chars(buffer.data(), last, value, std::chars_format::fixed).ptr
                           : std::to_chars(buffer.data(), last, value).ptr;
    std::string text(buffer.data(), end);
    if (text.find_first_of(".e") == std::string::npos) { text += ".0"; }
    return text;
}

std::string quoted(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (c == '\n') {
            text += "\\n";
        } else if (c == '\t') {
            text += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            text += fmt::format("\\u{:04X}", byte);
        } else {
            text += c;
        }
    }
    return text + '"';
}

}  // namespace

std::string to_toml(const ParameterValue& value) {
    struct Writer {
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return number_text(v); }
        std::string operator()(const std::string& v) const { return quoted(v); }
    };
    return std::visit(Writer{}, value);
}

}  // namespace lookahead
