#include "core/component/slot.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead::detail {

void unknown_variant(std::string_view slot, const std::string& name, const Configuration& configuration) {
    const std::vector<std::string> known = variant_names(slot);
    const std::string place = configuration.is_set(slot) ? fmt::format("{}: ", configuration.place_of(slot)) : "";
    const std::string choices =
        known.empty() ? "the slot has no variants" : fmt::format("its variants are {}", fmt::join(known, ", "));
    throw ConfigurationError("{}{} has no variant \"{}\"{}; {}", place, slot, name, did_you_mean(name, known), choices);
}

std::vector<std::string> joined_names(std::string_view slot, std::string_view default_variant,
                                      const Configuration& configuration) {
    const std::string joined = configuration.variant(slot, default_variant);
    std::vector<std::string> names;
    if (joined == default_variant) { return names; }
    const auto refuse = [&](const std::string& what) {
        throw ConfigurationError("{} = \"{}\" ({}) {}", slot, joined, configuration.place_of(slot), what);
    };
    for (std::size_t begin = 0; begin <= joined.size();) {
        const std::size_t end = std::min(joined.find('+', begin), joined.size());
        const std::string name = joined.substr(begin, end - begin);
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            refuse(fmt::format("names {} twice; each can be there once", name));
        }
        if (name == default_variant) { refuse(fmt::format("names {} beside others; it must be alone", name)); }
        names.push_back(name);
        begin = end + 1;
    }
    return names;
}

}  // namespace lookahead::detail
