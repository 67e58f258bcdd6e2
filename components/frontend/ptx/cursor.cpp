#include "components/frontend/ptx/cursor.h"

#include <algorithm>

#include <fmt/format.h>

#include "components/frontend/ptx/literal.h"
#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr std::size_t kLongestStatementInMessage = 160;

std::string on_one_line(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
        if (!blank) {
            result += c;
        } else if (!result.empty() && result.back() != ' ') {
            result += ' ';
        }
    }
    return result;
}

}  // namespace

const Token& Cursor::peek(std::size_t ahead) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Cursor::next() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) { ++at_; }
    return token;
}

bool Cursor::accept(char punctuation) {
    if (!peek().is(punctuation)) { return false; }
    next();
    return true;
}

bool Cursor::accept_dot(std::string_view word) {
    if (!peek().is_dot(word)) { return false; }
    next();
    return true;
}

bool Cursor::skip_to_closing_brace() {
    for (std::size_t depth = 1; depth > 0 && !at_end();) {
        const Token& token = next();
        if (token.is('{')) { ++depth; }
        if (token.is('}') && --depth == 0) { return true; }
    }
    return false;
}

void Cursor::expect(char punctuation, std::string_view purpose) {
    if (accept(punctuation)) { return; }
    fail(line(), "expected '{}' {}, found {}", punctuation, purpose, describe(peek()));
}

std::string_view Cursor::expect(TokenKind kind, std::string_view what) {
    if (peek().kind == kind) { return next().text; }
    fail(line(), "expected {}{}, found {}", what, kind == TokenKind::string ? " in quotation marks" : "",
         describe(peek()));
}

std::uint64_t Cursor::expect_number(std::string_view what, std::uint64_t limit) {
    const Token& token = peek();
    if (token.kind == TokenKind::number) {
        const auto literal = parse_literal(token.text);
        if (literal && literal->is_integer() && literal->bits <= limit) {
            next();
            return literal->bits;
        }
    }
    fail(line(), "expected {} (an integer from 0 to {}), found {}", what, limit, describe(token));
}

std::string Cursor::statement_text(std::size_t position) const {
    const Token& first = tokens_[position];
    std::size_t end = first.end;
    for (std::size_t i = position; i < tokens_.size() && !tokens_[i].is(';'); ++i) {
        if (tokens_[i].kind == TokenKind::end) { break; }
        end = tokens_[i].end;
        if (end - first.begin > 4 * kLongestStatementInMessage) { break; }
    }
    std::string text = on_one_line(source_.substr(first.begin, end - first.begin));
    if (text.size() > kLongestStatementInMessage) {
        text.replace(kLongestStatementInMessage, std::string::npos, " ...");
    }
    return text;
}

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::end:
            return "the end of the file";
        case TokenKind::dot_word:
            return fmt::format("`.{}`", token.text);
        case TokenKind::string:
            return "a string";
        default:
            return fmt::format("`{}`", token.text);
    }
}

}  // namespace lookahead::ptx
