#include "core/param/parameter_registry.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead {

namespace {

std::vector<ParameterSetEntry>& sets() {
    static std::vector<ParameterSetEntry> all;
    return all;
}

}  // namespace

const std::vector<ParameterSetEntry>& registered_parameter_sets() {
    return sets();
}

void add_parameter_set(ParameterSetEntry set) {
    const auto place = std::lower_bound(sets().begin(), sets().end(), set.prefix,
                                        [](const auto& entry, const auto& prefix) { return entry.prefix < prefix; });
    if (place != sets().end() && place->prefix == set.prefix) {
        LOOKAHEAD_ASSERT(place->parameters == set.parameters, "two parameter sets have the prefix {}", set.prefix);
        return;
    }
    LOOKAHEAD_ASSERT(!set.description.empty(), "the parameter set {} has no description", set.prefix);
    sets().insert(place, std::move(set));
}

}  // namespace lookahead
