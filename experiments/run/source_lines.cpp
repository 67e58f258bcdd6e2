#include "experiments/run/source_lines.h"

#include <algorithm>
#include <charconv>

namespace lookahead {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// Takes the number at the begin of the text, and the space before it; 0 if there is none.
std::uint32_t take_number(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    std::uint32_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// What is left of a line that begins with the directive; false if it does not.
bool take(std::string_view& text, std::string_view directive) {
    if (!text.starts_with(directive) || kSpace.find(text.substr(directive.size(), 1)) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(directive.size());
    return true;
}

}  // namespace

SourceLines::SourceLines(std::string_view ptx) {
    Line current;
    while (!ptx.empty()) {
        const std::size_t end = std::min(ptx.find('\n'), ptx.size());
        current.text = trimmed(ptx.substr(0, end));
        ptx.remove_prefix(std::min(end + 1, ptx.size()));
        std::string_view rest = current.text;
        if (take(rest, ".loc")) {
            current.file = take_number(rest);
            current.cuda_line = take_number(rest);
        } else if (take(rest, ".file")) {
            const std::uint32_t number = take_number(rest);
            const std::size_t begin = rest.find('"') + 1;
            if (begin != 0) { files_[number] = rest.substr(begin, rest.find('"', begin) - begin); }
        } else if (current.text.starts_with('}')) {
            current.file = current.cuda_line = 0;
        }
        lines_.push_back(current);
    }
}

std::string_view SourceLines::text(std::uint32_t line) const {
    return line - 1 < lines_.size() ? lines_[line - 1].text : "";
}

SourceLines::Place SourceLines::cuda(std::uint32_t line) const {
    if (line - 1 >= lines_.size()) { return {}; }
    const auto file = files_.find(lines_[line - 1].file);
    return file == files_.end() ? Place{} : Place{file->second, lines_[line - 1].cuda_line};
}

}  // namespace lookahead
