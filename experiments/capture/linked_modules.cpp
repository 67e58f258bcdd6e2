#include "experiments/capture/linked_modules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <utility>

namespace lookahead {

namespace {

bool begins_identifier(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool is_in_identifier(char c) {
    return begins_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Splits PTX into identifiers, words that begin with a dot, and other pieces (a comment, a string or a number is one
/// piece).
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
            while (length < rest_.size() && is_in_identifier(rest_[length])) { ++length; }
        }
        const std::string_view piece = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return piece;
    }
    bool done() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

bool is_function_word(std::string_view piece) {
    return piece == ".func" || piece == ".entry";
}

using NameSet = std::set<std::string, std::less<>>;

/// The names that a module defines. A shared array without a size belongs only to its module.
NameSet names_defined_in(std::string_view ptx) {
    NameSet defined, functions;
    int braces = 0, parentheses = 0;
    bool is_external = false, is_shared = false, is_function = false, in_value = false;
    for (Pieces pieces(ptx); !pieces.done();) {
        const std::string_view piece = pieces.next();
        if (piece == "{") { ++braces; }
        if (piece == "}") { --braces; }
        if (piece == "(") { ++parentheses; }
        if (piece == ")") { --parentheses; }
        if (braces != 0 || parentheses != 0) { continue; }
        if (piece == "}") { defined.merge(functions); }
        if (piece == ";" || piece == "}") {
            is_external = is_shared = is_function = in_value = false;
            functions.clear();  // it has no body
        }
        is_external |= piece == ".extern";
        is_shared |= piece == ".shared";
        is_function |= is_function_word(piece);
        in_value |= piece == "=";
        if (!begins_identifier(piece.front()) || in_value) { continue; }
        if (is_function || !is_external || is_shared) { (is_function ? functions : defined).emplace(piece); }
    }
    return defined;
}

/// A declaration or definition at the outermost level, and the words before it.
struct Statement {
    std::string_view text;
    std::string_view head;  ///< for a function: the text before its body, or its whole prototype
    std::string_view name;  ///< the first identifier outside of parentheses
    bool is_variable = false, is_function = false, is_external = false, is_weak = false, is_visible = false;

    bool is_definition() const { return is_function ? head.size() < text.size() : is_variable && !is_external; }
    /// Whether it declares a symbol that other parts may name too.
    bool is_shared_prototype() const {
        return is_function && !is_definition() && (is_external || is_weak || is_visible);
    }
};

template <class Do>
void for_each_line(std::string_view text, Do on_line) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        on_line(text.substr(begin, end - begin));
        begin = end;
    }
}

bool is_preamble(std::string_view line) {
    return line.starts_with(".version") || line.starts_with(".target") || line.starts_with(".address_size");
}

std::vector<Statement> statements_of(std::string_view ptx) {
    std::vector<Statement> statements;
    Statement statement;
    std::size_t begin = 0, at = 0;
    int braces = 0, parentheses = 0;
    bool has_value = false;
    for (Pieces pieces(ptx); !pieces.done();) {
        const std::string_view piece = pieces.next();
        if (piece == "{" && braces == 0 && statement.is_function) { statement.head = ptx.substr(begin, at - begin); }
        at += piece.size();
        parentheses += (piece == "(") - (piece == ")");
        braces += (piece == "{") - (piece == "}");
        if (braces == 0 && parentheses == 0) {
            statement.is_external |= piece == ".extern";
            statement.is_weak |= piece == ".weak";
            statement.is_visible |= piece == ".visible";
            statement.is_function |= is_function_word(piece);
            statement.is_variable |= piece == ".global" || piece == ".const";
            has_value |= piece == "=";
            if (statement.name.empty() && begins_identifier(piece.front())) { statement.name = piece; }
        }
        const bool is_end = braces == 0 && parentheses == 0 && (piece == ";" || (piece == "}" && !has_value));
        if (!is_end && !pieces.done()) { continue; }
        statement.text = ptx.substr(begin, at - begin);
        if (statement.head.empty()) { statement.head = statement.text; }
        statements.push_back(statement);
        statement = {};
        begin = at;
        has_value = false;
    }
    return statements;
}

}  // namespace

std::string link_parts(std::span<const std::string> parts) {
    std::vector<std::string> preambles(parts.size()), bodies(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for_each_line(parts[i], [&](std::string_view line) { (is_preamble(line) ? preambles : bodies)[i] += line; });
    }
    NameSet elsewhere, chosen;
    for (const std::string& body : bodies) {
        for (const Statement& statement : statements_of(body)) {
            if (statement.is_external && statement.is_variable) { elsewhere.emplace(statement.name); }
            if (statement.is_visible && statement.is_definition()) { chosen.emplace(statement.name); }
        }
    }

    // ptxas refuses an .extern prototype of a function that the module defines.
    const auto text_of = [&](const Statement& statement) {
        std::string text(statement.text);
        constexpr std::string_view kExtern = ".extern";
        const std::size_t at = text.find(kExtern);
        if (statement.is_external && statement.is_function && chosen.contains(statement.name) && at < text.size()) {
            text.replace(at, kExtern.size(), ".visible");
        }
        return text;
    };
    std::map<std::string_view, std::string> prototypes;
    std::string variables;
    LinkedModules linked;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::string kept = preambles[i];
        for (const Statement& statement : statements_of(bodies[i])) {
            if (statement.is_external && statement.is_variable) { continue; }
            if (statement.is_shared_prototype()) { prototypes.emplace(statement.name, text_of(statement)); }
            if (statement.is_weak && statement.is_definition() && !chosen.emplace(statement.name).second) {
                if (statement.is_function) { kept += fmt::format("{};\n", statement.head); }
                continue;
            }
            (statement.is_variable && elsewhere.contains(statement.name) ? variables : kept) += text_of(statement);
        }
        linked.add(kept);
    }
    // Variables of several parts come first, preceded by functions that their values name.
    std::string functions;
    for (Pieces pieces(variables); !pieces.done();) {
        if (const auto named = prototypes.extract(pieces.next())) { functions += named.mapped(); }
    }
    return linked.preamble() + functions + variables + '\n' + linked.body();
}

unsigned LinkedModules::take_preamble(std::string_view line) {
    const std::string text(line);
    int major = 0, minor = 0;
    unsigned architecture = 0;
    if (std::sscanf(text.c_str(), ".version %d.%d", &major, &minor) == 2) {
        if (std::pair(major, minor) <= std::pair(preamble_.major, preamble_.minor)) { return 0; }
        preamble_.major = major;
        preamble_.minor = minor;
        preamble_.version = text;
    } else if (std::sscanf(text.c_str(), ".target sm_%u", &architecture) == 1) {
        if (architecture <= preamble_.architecture) { return architecture; }
        preamble_.architecture = architecture;
        preamble_.target = text;
    } else {
        preamble_.address_size = text;
    }
    return architecture;
}

unsigned LinkedModules::add(std::string_view ptx) {
    const auto number = static_cast<unsigned>(bodies_.size());
    std::string body;
    unsigned& architecture = architectures_.emplace_back(0);
    for_each_line(ptx, [&](std::string_view line) {
        if (is_preamble(line)) {
            architecture = std::max(architecture, take_preamble(line));
        } else {
            body += line;
        }
    });
    if (!body.ends_with('\n')) { body += '\n'; }

    auto& renamed = renamed_.emplace_back();
    for (const std::string& name : names_defined_in(body)) {
        if (!defined_.insert(name).second) { renamed.emplace(name, fmt::format("{}${}", name, number)); }
    }
    for (const auto& [name, other] : renamed) { defined_.insert(other); }
    std::string& kept = bodies_.emplace_back();
    for (Pieces pieces(body); !pieces.done();) {
        const std::string_view piece = pieces.next();
        const auto found = begins_identifier(piece.front()) ? renamed.find(std::string(piece)) : renamed.end();
        kept += found == renamed.end() ? piece : std::string_view(found->second);
    }
    return number;
}

std::string LinkedModules::preamble() const {
    std::string lines;
    for (const std::string& line : {preamble_.version, preamble_.target, preamble_.address_size}) {
        lines += line.ends_with('\n') || line.empty() ? line : fmt::format("{}\n", line);
    }
    return lines;
}

std::string LinkedModules::body() const {
    std::string all;
    for (const std::string& body : bodies_) { all += body; }
    return all;
}

std::vector<std::string> LinkedModules::texts() const {
    std::vector<std::string> texts = bodies_;
    if (!texts.empty()) { texts.front().insert(0, preamble()); }
    return texts;
}

const std::string& LinkedModules::name(unsigned number, const std::string& name) const {
    if (number >= renamed_.size()) { return name; }
    const auto found = renamed_[number].find(name);
    return found == renamed_[number].end() ? name : found->second;
}

}  // namespace lookahead
