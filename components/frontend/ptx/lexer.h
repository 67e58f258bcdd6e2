#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lookahead::ptx {

enum class TokenKind : std::uint8_t {
    identifier,   ///< word, %word, $word, _
    dot_word,     ///< ".u32", ".L2::128B"; `text` has no first dot
    number,       ///< integer or floating-point literal, as written
    string,       ///< `text` without the quotes
    punctuation,  ///< one character, or << or >>
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    std::uint32_t line = 0;
    std::size_t begin = 0;  ///< the token is source[begin, end)
    std::size_t end = 0;

    bool is(char c) const { return kind == TokenKind::punctuation && text.size() == 1 && text[0] == c; }
    bool is_dot(std::string_view word) const { return kind == TokenKind::dot_word && text == word; }
};

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Splits PTX text into tokens; removes comments and the @@DWARF lines of old compilers. The last token has kind `end`.
/// The tokens point into `source`. Throws Problem.
std::vector<Token> tokenise(std::string_view source);

}  // namespace lookahead::ptx
