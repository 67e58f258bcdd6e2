#pragma once

#include <string>

namespace lookahead::test {

/// The sentence of the error that the action throws, or `none`. Errors of types other than `Expected` pass through.
template <class Expected, class Action>
std::string error_of(const Action& action, const std::string& none = "no error") {
    try {
        action();
    } catch (const Expected& error) { return error.what(); }
    return none;
}

}  // namespace lookahead::test
