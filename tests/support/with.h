#pragma once

namespace lookahead::test {

/// Parameters with some members changed to the given values.
template <class P>
P with(P parameters) {
    return parameters;
}
template <class P, class Base, class M, class V, class... Rest>
P with(P parameters, M Base::*member, V value, Rest... rest) {
    parameters.*member = value;
    return with(parameters, rest...);
}

}  // namespace lookahead::test
