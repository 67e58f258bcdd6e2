#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error/error.h"

namespace lookahead {

/// An error for a text that is not an expression: a sentence with the place.
class ExpressionError : public InputError {
  public:
    using InputError::InputError;
};

/// A figure computed from others, as in "l1d.misses_demand / (l1d.hits_demand + l1d.misses_demand)": names, numbers, +
/// - * / and parentheses. A name consists of letters, digits, '_' and '.'; names with other characters are in single
/// quotes. Computed in doubles, from the left: 0 / 0 is NaN.
class Expression {
  public:
    static Expression parse(std::string_view text);

    /// Its names, each once, in the order of appearance.
    const std::vector<std::string>& names() const& { return names_; }
    const std::vector<std::string>& names() && = delete;
    /// Computes the expression; `value_of(name)` returns the value of a name.
    double value(const std::function<double(const std::string&)>& value_of) const;

    struct Node;

  private:
    std::vector<std::string> names_;
    std::shared_ptr<const Node> root_;
};

}  // namespace lookahead
