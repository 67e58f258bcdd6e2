#include "components/frontend/ptx/lexer.h"

#include <doctest/doctest.h>

#include <bit>
#include <string>

#include "components/frontend/ptx/constant_expression.h"
#include "components/frontend/ptx/literal.h"
#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

/// Tokens separated by bars; dot words keep their dot.
std::string joined(std::string_view source) {
    std::string text;
    for (const Token& token : tokenise(source)) {
        if (token.kind == TokenKind::end) { break; }
        if (!text.empty()) { text += '|'; }
        if (token.kind == TokenKind::dot_word) { text += '.'; }
        text += token.text;
    }
    return text;
}

std::uint64_t constant(std::string_view text) {
    const auto tokens = tokenise(text);
    Cursor cursor(text, tokens);
    const Literal literal = parse_constant(cursor);
    REQUIRE(cursor.at_end());
    return literal.bits;
}

std::uint32_t line_of_problem(std::string_view source) {
    try {
        tokenise(source);
    } catch (const Problem& problem) { return problem.line; }
    return 0;
}

}  // namespace

TEST_CASE("an instruction falls into words, modifiers, operands and signs") {
    CHECK(joined("@!%p1 ld.global.v2.u32 {%r1,_}, [%rd1+-4];") ==
          "@|!|%p1|ld|.global|.v2|.u32|{|%r1|,|_|}|,|[|%rd1|+|-|4|]|;");
}

TEST_CASE("modifiers with :: are one word") {
    CHECK(joined("ld.global.L1::no_allocate.u32") == "ld|.global|.L1::no_allocate|.u32");
}

TEST_CASE("names may contain dollars and percent signs only where PTX has them") {
    CHECK(joined("$L__BB0_1: %SP a$b _x") == "$L__BB0_1|:|%SP|a$b|_x");
}

TEST_CASE("register ranges are a name and a number in angle brackets") {
    CHECK(joined("%r<46>") == "%r|<|46|>");
}

TEST_CASE("comments of both kinds and @@DWARF lines vanish, and lines are counted through them") {
    const auto tokens = tokenise("a // b\n/* c\n d */ e\n@@DWARF .byte 0x10\nf");
    REQUIRE(tokens.size() == 4);
    CHECK(tokens[0].line == 1);
    CHECK(tokens[1].text == "e");
    CHECK(tokens[1].line == 3);
    CHECK(tokens[2].text == "f");
    CHECK(tokens[2].line == 5);
}

TEST_CASE("numbers end where a modifier begins") {
    CHECK(joined(".align 4.b8") == ".align|4|.b8");
    CHECK(joined("1.5e-3 0f3F800000 0x1Fe 12U") == "1.5e-3|0f3F800000|0x1Fe|12U");
    CHECK(joined("0x1e+1") == "0x1e|+|1");
}

TEST_CASE("NULs at the end of embedded PTX are no text") {
    CHECK(joined(std::string_view("ret;\0\0", 6)) == "ret|;");
}

TEST_CASE("what no PTX contains is a problem on its line") {
    CHECK(line_of_problem("a\n#") == 2);
    CHECK(line_of_problem("a\n\n\"open\n") == 3);
    CHECK(line_of_problem("a\n/* open") == 2);
    CHECK(line_of_problem(std::string_view("a\n\0b", 4)) == 2);
}

TEST_CASE("integers have four bases and a suffix") {
    CHECK(constant("10") == 10);
    CHECK(constant("0x1F") == 31);
    CHECK(constant("017") == 15);
    CHECK(constant("0b101") == 5);
    CHECK(constant("4294967295U") == 4294967295U);
    CHECK(constant("18446744073709551615") == ~std::uint64_t{0});
    CHECK(constant("WARP_SZ") == 32);
}

TEST_CASE("constant expressions follow the precedence of C in 64 bits") {
    CHECK(constant("1+2*3") == 7);
    CHECK(constant("(1+2)*3") == 9);
    CHECK(constant("10-4-3") == 3);
    CHECK(constant("1<<4|3") == 19);
    CHECK(constant("-1") == ~std::uint64_t{0});
    CHECK(constant("~0 & 0xff") == 255);
    CHECK(constant("-8 >> 1") == static_cast<std::uint64_t>(-4));
    CHECK(constant("-7 / 2") == static_cast<std::uint64_t>(-3));
    CHECK(constant("-7 % 2") == static_cast<std::uint64_t>(-1));
    CHECK(constant("0x8000000000000000 / 2") == 0x4000000000000000U);
    CHECK(constant("!5") == 0);
}

TEST_CASE("impossible constant expressions are problems") {
    CHECK_THROWS_AS(constant("1/0"), Problem);
    CHECK_THROWS_AS(constant("1 % 0"), Problem);
    CHECK_THROWS_AS(constant("1<<64"), Problem);
    CHECK_THROWS_AS(constant("1.5+1"), Problem);
    CHECK_THROWS_AS(constant("0x"), Problem);
    CHECK_THROWS_AS(constant("0f123"), Problem);
    CHECK_THROWS_AS(constant("18446744073709551616"), Problem);
    CHECK_THROWS_AS(constant(std::string(1000, '(')), Problem);
}

TEST_CASE("the least integer can be divided by minus one") {
    CHECK(constant("(-0x7fffffffffffffff-1) / -1") == 0x8000000000000000U);
    CHECK(constant("(-0x7fffffffffffffff-1) % -1") == 0);
}

TEST_CASE("a constant takes the bits that its type gives it") {
    const Literal minus_one = *parse_literal("18446744073709551615");
    CHECK(convert_literal(minus_one, Type::s32) == 0xffffffffU);
    CHECK(convert_literal(minus_one, Type::u8) == 0xffU);
    CHECK(convert_literal(minus_one, Type::b64) == ~std::uint64_t{0});
    CHECK(convert_literal(minus_one, Type::pred) == 1);
    const Literal half = *parse_literal("0.5");
    CHECK(convert_literal(half, Type::f32) == 0x3f000000U);
    CHECK(convert_literal(half, Type::f64) == std::bit_cast<std::uint64_t>(0.5));
    CHECK(convert_literal(*parse_literal("0d3FE0000000000000"), Type::f32) == 0x3f000000U);
    CHECK(convert_literal(*parse_literal("0f3f000000"), Type::f64) == std::bit_cast<std::uint64_t>(0.5));
    CHECK(convert_literal(*parse_literal("0f3f000000"), Type::b32) == 0x3f000000U);
}

TEST_CASE("a signalling NaN keeps its bits") {
    CHECK(convert_literal(*parse_literal("0f7f800001"), Type::f32) == 0x7f800001U);
    CHECK(convert_literal(*parse_literal("0d7ff0000000000001"), Type::f64) == 0x7ff0000000000001U);
}

TEST_CASE("integers are no floating-point constants, nor the other way round") {
    CHECK_FALSE(convert_literal(*parse_literal("1"), Type::f32));
    CHECK_FALSE(convert_literal(*parse_literal("1.0"), Type::s32));
    CHECK_FALSE(convert_literal(*parse_literal("1.0"), Type::b32));
    CHECK_FALSE(convert_literal(*parse_literal("0f3f000000"), Type::b64));
    CHECK_FALSE(convert_literal(*parse_literal("1.0"), Type::f16));
}

}  // namespace lookahead::ptx
