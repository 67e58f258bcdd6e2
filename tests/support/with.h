#pragma once

namespace lookahead::test {

/// Parameters that differ from these in some members, each given with its value.
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
