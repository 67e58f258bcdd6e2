#include "core/component/slot.h"

#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead::detail {

void unknown_variant(std::string_view slot, const std::string& name, const Configuration& configuration) {
    std::vector<std::string> known;
    std::string listed;
    for (const VariantEntry& variant : registered_variants()) {
        if (variant.slot == slot) {
            known.push_back(variant.name);
            listed += (listed.empty() ? "" : ", ") + variant.name;
        }
    }
    const std::string place = configuration.is_set(slot) ? configuration.place_of(slot) + ": " : "";
    const std::string choices = listed.empty() ? "the slot has no variants" : "its variants are " + listed;
    throw ConfigurationError(place + std::string(slot) + " has no variant \"" + name + "\"" +
                             did_you_mean(name, known) + "; " + choices);
}

}  // namespace lookahead::detail
