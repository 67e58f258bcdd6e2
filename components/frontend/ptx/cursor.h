#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/ptx/lexer.h"

namespace lookahead::ptx {

/// A place in a list of tokens, with a parser's queries. `expect...` throws Problem.
class Cursor {
  public:
    /// Both must outlive the cursor; `tokens` ends with a token of kind `end`.
    Cursor(std::string_view source, const std::vector<Token>& tokens) : source_(source), tokens_(tokens) {}

    /// The token `ahead` places after the present one; the last token, of kind `end`, if there are fewer.
    const Token& peek(std::size_t ahead = 0) const;
    std::uint32_t line() const { return peek().line; }
    bool at_end() const { return peek().kind == TokenKind::end; }

    /// Returns the present token and goes to the next one.
    const Token& next();
    // These consume the present token and return true if it is the given one.
    bool accept(char punctuation);
    bool accept_dot(std::string_view word);

    /// Consumes tokens up to the brace that closes an open one; false if the file ends before.
    bool skip_to_closing_brace();

    /// `purpose` completes "expected ... ": "after the operands".
    void expect(char punctuation, std::string_view purpose);
    std::string_view expect_identifier(std::string_view what) { return expect(TokenKind::identifier, what); }
    std::string_view expect_dot_word(std::string_view what) { return expect(TokenKind::dot_word, what); }
    std::string_view expect_string(std::string_view what) { return expect(TokenKind::string, what); }
    /// An integer literal from 0 to `limit`.
    std::uint64_t expect_number(std::string_view what, std::uint64_t limit);

    /// The index of the present token.
    std::size_t position() const { return at_; }
    /// The statement that begins at `position`, up to its semicolon, on one line, shortened if very long.
    std::string statement_text(std::size_t position) const;

  private:
    std::string_view expect(TokenKind kind, std::string_view what);

    std::string_view source_;
    const std::vector<Token>& tokens_;
    std::size_t at_ = 0;
};

/// "`text`", or "the end of the file", for messages.
std::string describe(const Token& token);

}  // namespace lookahead::ptx
