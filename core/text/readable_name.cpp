#include "core/text/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace lookahead {

namespace {

bool is_part_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// The position of the parameters: the last opening parenthesis that closes at the end. It skips brackets of
/// "(anonymous namespace)" and of function types.
std::size_t parameters_of(const std::string& name) {
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
        depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
        if (depth == 0) { return name[i] == '(' ? i : std::string::npos; }
    }
    return std::string::npos;
}

/// The text after the last separator outside brackets.
std::string after_last(char separator, const std::string& name) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += name[i] == '<' || name[i] == '(' ? 1 : name[i] == '>' || name[i] == ')' ? -1 : 0;
        if (depth == 0 && name[i] == separator) { begin = i + 1; }
    }
    return name.substr(begin);
}

std::string without_template_arguments(const std::string& name) {
    std::string text;
    int depth = 0;
    for (const char c : name) {
        if (c == '<' && depth++ == 0) { text += "<..>"; }
        if (depth == 0) { text += c; }
        depth -= c == '>' ? 1 : 0;
    }
    return text;
}

}  // namespace

std::string readable_name(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                           &std::free);
    return name.starts_with("_Z") && status == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string short_name(const std::string& name, std::size_t most) {
    std::string text = readable_name(name);
    if (text == name) { return text; }
    const std::size_t parameters = parameters_of(text);
    // A template's name begins with its return type.
    const std::string without_parameters = after_last(' ', text.substr(0, parameters));
    text = without_parameters + (parameters == std::string::npos ? "" : text.substr(parameters));
    if (text.size() > most) { text = without_parameters; }
    if (text.size() > most) { text = without_template_arguments(text); }
    return text.size() > most ? after_last(':', text) : text;
}

std::string with_short_names(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t begin = text.find("_Z");
        result += text.substr(0, begin);
        if (begin == std::string_view::npos) { break; }
        std::size_t end = begin;
        while (end < text.size() && is_part_of_name(text[end])) { ++end; }
        const bool begins_a_word = begin == 0 || !is_part_of_name(text[begin - 1]);
        const std::string name(text.substr(begin, end - begin));
        result += begins_a_word ? short_name(name) : name;
        text.remove_prefix(end);
    }
    return result;
}

}  // namespace lookahead
