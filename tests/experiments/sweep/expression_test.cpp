#include "experiments/sweep/expression.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

double value(const std::string& text) {
    const std::map<std::string, double> values{{"a", 7}, {"l1d.misses_demand", 3}, {"none", 0}, {"hit rate, all", 0.5}};
    return Expression::parse(text).value([&](const std::string& name) { return values.at(name); });
}

std::string fault(const std::string& text) {
    return test::error_of<ExpressionError>([&] { Expression::parse(text); }, "none");
}

TEST_CASE("operators bind as in school, and from the left") {
    CHECK(value("1 + 2 * 3") == 7);
    CHECK(value("(1 + 2) * 3") == 9);
    CHECK(value("8 - 4 - 2") == 2);
    CHECK(value("8 / 4 / 2") == 1);
    CHECK(value("8 - -2") == 10);
    CHECK(value("-a * 2") == -14);
    CHECK(value("-(a - 2)") == -5);
    CHECK(value("1.5e2/a") == 150.0 / 7);
}

TEST_CASE("names are of counters, of metrics, and in quotes whatever they are") {
    CHECK(value("l1d.misses_demand / a") == 3.0 / 7);
    CHECK(value("'hit rate, all'*2") == 1);
    const Expression expression = Expression::parse("b / (a + b) - c.d_1");
    CHECK(expression.names() == std::vector<std::string>{"b", "a", "c.d_1"});
}

TEST_CASE("a quotient without a value is no number") {
    CHECK(std::isnan(value("none / none")));
    CHECK(std::isinf(value("1 / none")));
}

TEST_CASE("what is no expression is refused with the place") {
    CHECK(fault("") == "'' has the end at character 1 where a name, a number or '(' was expected");
    CHECK(fault("a b") == "'a b' has 'b' at character 3 where an operator was expected");
    CHECK(fault("a +") == "'a +' has the end at character 4 where a name, a number or '(' was expected");
    CHECK(fault("(a") == "'(a' has the end at character 3 where ')' was expected");
    CHECK(fault("a)") == "'a)' has ')' at character 2 where an operator was expected");
    CHECK(fault("a ^ 2") == "'a ^ 2' has '^ 2' at character 3 where an operator was expected");
    CHECK(fault(". + a") == "'. + a' has '. + a' at character 1 where a number was expected");
    CHECK(fault("'a") == "''a' has ''a' at character 1 where a name in quotes was expected");
    CHECK(fault("''") == "'''' has '''' at character 1 where a name in quotes was expected");
}

TEST_CASE("an expression is nested up to a bound") {
    CHECK(fault(std::string(63, '(') + "1" + std::string(63, ')')) == "none");
    CHECK(fault(std::string(64, '(') + "1" + std::string(64, ')')).ends_with("is nested more than 64 deep"));
}

}  // namespace
}  // namespace lookahead
