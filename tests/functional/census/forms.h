#pragma once

#include <string>
#include <vector>

namespace lookahead::test {

/// An instruction of the census, and the bank of its destination: "rd" of %rd0; "" if it has none.
struct Statement {
    std::string text, destination;
};

/// Adds all texts that `pattern` stands for: `{a,b}` means either, `{a,}` means a or nothing. Inner braces stay: they
/// are vectors of registers.
void expand(const std::string& pattern, std::vector<std::string>& result);

/// The instructions of a short form, as forms.cpp describes.
std::vector<Statement> statements_of(const std::string& mnemonics, const std::string& operands);

/// Every arithmetic, comparison, conversion and warp instruction.
std::vector<Statement> arithmetic_statements();

}  // namespace lookahead::test
