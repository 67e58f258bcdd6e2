#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bits/before_main.h"
#include "core/param/parameters.h"

namespace lookahead {

/// Parameters of one struct under one prefix of configuration keys.
struct ParameterSetEntry {
    std::string prefix;
    std::string description;
    const ParameterList* parameters = nullptr;
    std::string slot = {};  ///< if named: the set is in use only if this slot does not have its default variant
};

/// All registered parameter sets, ordered by prefix.
const std::vector<ParameterSetEntry>& registered_parameter_sets();

/// Adds a set. Variants of several slots with the same name share their parameters. InternalError if another set has
/// the prefix.
void add_parameter_set(ParameterSetEntry set);

namespace detail {

template <HasParameters P>
bool register_parameters(std::string_view prefix, std::string_view description, std::string_view slot = {}) {
    add_parameter_set({std::string(prefix), std::string(description), &parameters_of<P>(), std::string(slot)});
    return true;
}

}  // namespace detail

}  // namespace lookahead

/// At namespace scope, in a .cpp: the configuration has the keys `prefix.…` of struct P.
#define LOOKAHEAD_REGISTER_PARAMETERS(P, prefix, description) \
    LOOKAHEAD_REGISTER_SLOT_PARAMETERS(P, prefix, "", description)
/// The same for parameters that are read only if the slot does not have its default variant.
#define LOOKAHEAD_REGISTER_SLOT_PARAMETERS(P, prefix, slot, description) \
    LOOKAHEAD_BEFORE_MAIN(::lookahead::detail::register_parameters<P>(prefix, description, slot))
