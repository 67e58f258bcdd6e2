#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/param/parameters.h"

namespace lookahead {

/// Parameters of one struct under one prefix of configuration keys.
struct ParameterSetEntry {
    std::string prefix;
    std::string description;
    const ParameterList* parameters = nullptr;
};

/// All parameter sets that registered themselves, in the order of their prefixes.
const std::vector<ParameterSetEntry>& registered_parameter_sets();

/// Throws InternalError if the prefix is taken.
void add_parameter_set(ParameterSetEntry set);

namespace detail {

template <HasParameters P>
bool register_parameters(std::string_view prefix, std::string_view description) {
    add_parameter_set({std::string(prefix), std::string(description), &ParametersOf<P>::list});
    return true;
}

}  // namespace detail

}  // namespace lookahead

/// At namespace scope, in a .cpp: the configuration has the keys `prefix.…` of struct P.
#define LOOKAHEAD_REGISTER_PARAMETERS(P, prefix, description) \
    LOOKAHEAD_REGISTER_PARAMETERS_2(P, prefix, description, __COUNTER__)
#define LOOKAHEAD_REGISTER_PARAMETERS_2(P, prefix, description, number) \
    LOOKAHEAD_REGISTER_PARAMETERS_3(P, prefix, description, number)
#define LOOKAHEAD_REGISTER_PARAMETERS_3(P, prefix, description, number)   \
    namespace {                                                           \
    [[maybe_unused]] const bool parameters_registered_##number =          \
        ::lookahead::detail::register_parameters<P>(prefix, description); \
    }
