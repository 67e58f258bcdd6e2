#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error/error.h"

namespace lookahead {

/// A text that is no expression: a sentence with the place.
class ExpressionError : public InputError {
  public:
    using InputError::InputError;
};

/// A figure made of others, as "l1d.misses_demand / (l1d.hits_demand + l1d.misses_demand)": names, numbers, + - * / and
/// parentheses. A name is of letters, digits, '_' and '.', and one with other characters stands in single quotes.
/// In doubles, from the left: 0 / 0 is NaN.
class Expression {
  public:
    static Expression parse(std::string_view text);

    /// The names in it, each once, in the order in which they come.
    const std::vector<std::string>& names() const& { return names_; }
    const std::vector<std::string>& names() && = delete;
    double value(const std::function<double(const std::string&)>& value_of) const;

    struct Node;

  private:
    std::vector<std::string> names_;
    std::shared_ptr<const Node> root_;
};

}  // namespace lookahead
