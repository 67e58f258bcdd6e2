#include "experiments/sweep/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace lookahead {

/// A number, a name, or an operator between two others.
struct Expression::Node {
    char operation = 0;  ///< 0: a leaf
    double number = 0;
    std::string name;  ///< empty: the number
    std::shared_ptr<const Node> left;
    std::shared_ptr<const Node> right;
};

namespace {

using Node = Expression::Node;
using NodePointer = std::shared_ptr<const Node>;

constexpr int kMostNested = 64;

bool is_letter(char each) {
    return std::isalpha(static_cast<unsigned char>(each)) != 0 || each == '_';
}

bool is_digit(char each) {
    return std::isdigit(static_cast<unsigned char>(each)) != 0;
}

/// Recursive descent: sum = product {(+|-) product}, product = factor {(*|/) factor}, factor = [-] (number | name |
/// (sum)).
class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    NodePointer whole() {
        NodePointer root = sum();
        if (next() != 0) { fail("an operator"); }
        return root;
    }
    std::vector<std::string> names() && { return std::move(names_); }

  private:
    [[noreturn]] void fail(const std::string& expected) {
        const std::string found = next() == 0 ? "the end" : fmt::format("'{}'", text_.substr(at_, 12));
        throw ExpressionError(
            fmt::format("'{}' has {} at character {} where {} was expected", text_, found, at_ + 1, expected));
    }

    /// The next character that is not a blank; 0 at the end.
    char next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) { ++at_; }
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    NodePointer joined(char operation, NodePointer left, NodePointer right) {
        return std::make_shared<Node>(Node{operation, 0, "", std::move(left), std::move(right)});
    }

    /// Operands joined from left to right by any of the operators.
    NodePointer chain(std::string_view operators, NodePointer (Parser::*operand)()) {
        NodePointer left = (this->*operand)();
        while (operators.find(next()) != std::string_view::npos) {
            const char operation = text_[at_++];
            left = joined(operation, std::move(left), (this->*operand)());
        }
        return left;
    }
    NodePointer sum() { return chain("+-", &Parser::product); }
    NodePointer product() { return chain("*/", &Parser::factor); }

    NodePointer factor() {
        if (++nested_ > kMostNested) {
            throw ExpressionError(fmt::format("'{}' is nested more than {} deep", text_, kMostNested));
        }
        NodePointer made = innermost();
        --nested_;
        return made;
    }

    NodePointer innermost() {
        const char first = next();
        if (first == '-') {
            ++at_;
            return joined('-', std::make_shared<Node>(), factor());
        }
        if (first == '(') {
            ++at_;
            NodePointer inner = sum();
            if (next() != ')') { fail("')'"); }
            ++at_;
            return inner;
        }
        if (is_digit(first) || first == '.') { return number(); }
        if (is_letter(first)) { return name(); }
        if (first == '\'') { return quoted_name(); }
        fail("a name, a number or '('");
    }

    NodePointer number() {
        Node leaf;
        const char* const begin = text_.data() + at_;
        const auto [rest, fault] = std::from_chars(begin, text_.data() + text_.size(), leaf.number);
        if (fault != std::errc{}) { fail("a number"); }
        at_ += static_cast<std::size_t>(rest - begin);
        return std::make_shared<Node>(std::move(leaf));
    }

    NodePointer name() {
        const std::size_t begin = at_;
        const auto belongs = [&](std::size_t at) {
            return is_letter(text_[at]) || is_digit(text_[at]) || text_[at] == '.';
        };
        while (at_ < text_.size() && belongs(at_)) { ++at_; }
        return leaf_of(std::string(text_.substr(begin, at_ - begin)));
    }

    NodePointer quoted_name() {
        const std::size_t end = text_.find('\'', at_ + 1);
        if (end == std::string_view::npos || end == at_ + 1) { fail("a name in quotes"); }
        const std::string name(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return leaf_of(name);
    }

    NodePointer leaf_of(const std::string& name) {
        if (std::ranges::find(names_, name) == names_.end()) { names_.push_back(name); }
        return std::make_shared<Node>(Node{0, 0, name, nullptr, nullptr});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int nested_ = 0;
    std::vector<std::string> names_;
};

double value_of_node(const Node& node, const std::function<double(const std::string&)>& value_of) {
    if (node.operation == 0) { return node.name.empty() ? node.number : value_of(node.name); }
    const double left = value_of_node(*node.left, value_of);
    const double right = value_of_node(*node.right, value_of);
    if (node.operation == '+') { return left + right; }
    if (node.operation == '-') { return left - right; }
    return node.operation == '*' ? left * right : left / right;
}

}  // namespace

Expression Expression::parse(std::string_view text) {
    Parser parser(text);
    Expression expression;
    expression.root_ = parser.whole();
    expression.names_ = std::move(parser).names();
    return expression;
}

double Expression::value(const std::function<double(const std::string&)>& value_of) const {
    return value_of_node(*root_, value_of);
}

}  // namespace lookahead
