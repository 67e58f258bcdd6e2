#include "components/frontend/ptx/lexer.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}
bool starts_identifier(char c) {
    return is_letter(c) || c == '_' || c == '$' || c == '%';
}
bool continues_identifier(char c) {
    return is_word(c) || c == '$';
}

std::string printable(char c) {
    if (c >= ' ' && c <= '~') { return fmt::format("'{}'", c); }
    return fmt::format("byte {}", static_cast<unsigned char>(c));
}

class Lexer {
  public:
    explicit Lexer(std::string_view source) : source_(source) {}

    std::vector<Token> run() {
        while (skip_blanks_and_comments(), at_ < source_.size()) { next_token(); }
        begin_ = at_;
        push(TokenKind::end, {});
        return std::move(tokens_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

    bool ahead(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

    void skip_line() {
        while (at_ < source_.size() && source_[at_] != '\n') { ++at_; }
    }

    void skip_blanks_and_comments() {
        while (at_ < source_.size()) {
            const char c = source_[at_];
            if (c == '\n') {
                ++line_;
                ++at_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (ahead("//") || ahead("@@DWARF")) {
                skip_line();
            } else if (ahead("/*")) {
                skip_block_comment();
            } else if (c == '\0' && source_.find_first_not_of('\0', at_) == std::string_view::npos) {
                at_ = source_.size();  // PTX embedded in a program ends with NUL
            } else {
                return;
            }
        }
    }

    void skip_block_comment() {
        const std::uint32_t first_line = line_;
        const std::size_t close = source_.find("*/", at_ + 2);
        if (close == std::string_view::npos) { fail(first_line, "this comment /* has no end */"); }
        for (; at_ < close + 2; ++at_) { line_ += source_[at_] == '\n'; }
    }

    void push(TokenKind kind, std::string_view text) { tokens_.push_back({kind, text, line_, begin_, at_}); }

    void next_token() {
        begin_ = at_;
        const char c = peek();
        if (starts_identifier(c) && (c != '%' || continues_identifier(peek(1)))) { return identifier(); }
        if (is_digit(c)) { return number(); }
        if (c == '.' && is_word(peek(1))) { return dot_word(); }
        if (c == '"') { return string(); }
        if (ahead("<<") || ahead(">>")) { return punctuation(2); }
        if (std::string_view("{}()[],;:=+-*/%<>@!|&^~?.").find(c) != std::string_view::npos) { return punctuation(1); }
        fail(line_, "unexpected {}, which no PTX statement contains", printable(c));
    }

    void identifier() {
        ++at_;
        while (continues_identifier(peek())) { ++at_; }
        push(TokenKind::identifier, source_.substr(begin_, at_ - begin_));
    }

    void dot_word() {
        ++at_;
        while (is_word(peek())) { ++at_; }
        while (ahead("::") && is_word(peek(2))) {
            at_ += 2;
            while (is_word(peek())) { ++at_; }
        }
        push(TokenKind::dot_word, source_.substr(begin_ + 1, at_ - begin_ - 1));
    }

    /// Finds only the literal's end; it is checked where its value is needed.
    void number() {
        const bool prefixed = peek() == '0' && is_letter(peek(1)) && peek(1) != 'e' && peek(1) != 'E';
        while (is_word(peek())) {
            ++at_;
            const char last = source_[at_ - 1];
            const bool exponent = !prefixed && (last == 'e' || last == 'E');
            if (exponent && (peek() == '+' || peek() == '-') && is_digit(peek(1))) { ++at_; }
            if (!prefixed && peek() == '.' && !is_letter(peek(1)) && peek(1) != '_') { ++at_; }
        }
        push(TokenKind::number, source_.substr(begin_, at_ - begin_));
    }

    void string() {
        const std::size_t close = source_.find_first_of("\"\n", at_ + 1);
        if (close == std::string_view::npos || source_[close] == '\n') {
            fail(line_, "this string has no closing quotation mark");
        }
        at_ = close + 1;
        push(TokenKind::string, source_.substr(begin_ + 1, close - begin_ - 1));
    }

    void punctuation(std::size_t length) {
        at_ += length;
        push(TokenKind::punctuation, source_.substr(begin_, length));
    }

    std::string_view source_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::uint32_t line_ = 1;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenise(std::string_view source) {
    return Lexer(source).run();
}

}  // namespace lookahead::ptx
