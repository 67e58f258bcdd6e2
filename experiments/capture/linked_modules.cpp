#include "experiments/capture/linked_modules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <utility>

namespace lookahead {

namespace {

bool begins_identifier(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool is_in_identifier(char c) {
    return begins_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Splits PTX into pieces: identifiers, words that begin with a dot, and everything else (a comment, a string or a
/// number each in one piece).
class Pieces {
  public:
    explicit Pieces(std::string_view text) : rest_(text) {}

    std::string_view next() {
        std::size_t length = 1;
        const char first = rest_.front();
        if (rest_.starts_with("//")) {
            length = std::min(rest_.find('\n'), rest_.size());
        } else if (rest_.starts_with("/*")) {
            const std::size_t end = rest_.find("*/", 2);
            length = end == std::string_view::npos ? rest_.size() : end + 2;
        } else if (first == '"') {
            const std::size_t end = rest_.find('"', 1);
            length = end == std::string_view::npos ? rest_.size() : end + 1;
        } else if (begins_identifier(first) || first == '.' || std::isdigit(static_cast<unsigned char>(first)) != 0) {
            while (length < rest_.size() && is_in_identifier(rest_[length])) ++length;
        }
        const std::string_view piece = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return piece;
    }
    bool done() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

/// The names that a module defines, and those of functions that it only declares.
struct Names {
    std::set<std::string, std::less<>> defined;
    std::set<std::string, std::less<>> external;
};

Names names_of(std::string_view ptx) {
    Names names;
    int braces = 0, parentheses = 0;
    bool is_external = false, is_function = false, in_value = false;
    for (Pieces pieces(ptx); !pieces.done();) {
        const std::string_view piece = pieces.next();
        if (piece == "{") ++braces;
        if (piece == "}") --braces;
        if (piece == "(") ++parentheses;
        if (piece == ")") --parentheses;
        if (braces != 0 || parentheses != 0) continue;
        if (piece == ";" || piece == "}") is_external = is_function = in_value = false;
        is_external |= piece == ".extern";
        is_function |= piece == ".func";
        in_value |= piece == "=";
        if (!begins_identifier(piece.front()) || in_value) continue;
        (is_external && is_function ? names.external : names.defined).emplace(piece);
    }
    for (const std::string& name : names.external) names.defined.erase(name);
    return names;
}

}  // namespace

void LinkedModules::take_preamble(std::string_view line) {
    const std::string text(line);
    int major = 0, minor = 0, architecture = 0;
    if (std::sscanf(text.c_str(), ".version %d.%d", &major, &minor) == 2) {
        if (std::pair(major, minor) <= std::pair(preamble_.major, preamble_.minor)) return;
        preamble_.major = major;
        preamble_.minor = minor;
        preamble_.version = text;
    } else if (std::sscanf(text.c_str(), ".target sm_%d", &architecture) == 1) {
        if (architecture <= preamble_.architecture) return;
        preamble_.architecture = architecture;
        preamble_.target = text;
    } else {
        preamble_.address_size = text;
    }
}

unsigned LinkedModules::add(std::string_view ptx) {
    const auto number = static_cast<unsigned>(bodies_.size());
    std::string body;
    for (std::size_t begin = 0; begin < ptx.size();) {
        const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
        const std::string_view line = ptx.substr(begin, end - begin);
        begin = end;
        if (line.starts_with(".version") || line.starts_with(".target") || line.starts_with(".address_size")) {
            take_preamble(line);
        } else {
            body += line;
        }
    }
    if (!body.ends_with('\n')) body += '\n';

    auto& renamed = renamed_.emplace_back();
    for (const std::string& name : names_of(body).defined)
        if (!defined_.insert(name).second) renamed.emplace(name, fmt::format("{}${}", name, number));
    for (const auto& [name, other] : renamed) defined_.insert(other);
    std::string& kept = bodies_.emplace_back();
    for (Pieces pieces(body); !pieces.done();) {
        const std::string_view piece = pieces.next();
        const auto found = begins_identifier(piece.front()) ? renamed.find(std::string(piece)) : renamed.end();
        kept += found == renamed.end() ? piece : std::string_view(found->second);
    }
    return number;
}

std::vector<std::string> LinkedModules::texts() const {
    std::vector<std::string> texts = bodies_;
    if (!texts.empty()) {
        std::string lines;
        for (const std::string& line : {preamble_.version, preamble_.target, preamble_.address_size})
            lines += line.ends_with('\n') || line.empty() ? line : line + "\n";
        texts.front().insert(0, lines);
    }
    return texts;
}

const std::string& LinkedModules::name(unsigned number, const std::string& name) const {
    if (number >= renamed_.size()) return name;
    const auto found = renamed_[number].find(name);
    return found == renamed_[number].end() ? name : found->second;
}

}  // namespace lookahead
