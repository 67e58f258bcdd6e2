#include "core/component/registered_keys.h"

#include <algorithm>

#include "core/component/catalogue.h"
#include "core/component/slot.h"

namespace lookahead {

namespace {

/// Some parameters are read only if their slot does not have its default.
bool is_read(const ParameterSetEntry& set, const Configuration& configuration) {
    const auto& slots = registered_slots();
    const auto slot = std::ranges::find(slots, set.slot, &SlotEntry::name);
    return !belongs_to_variant(set) &&
           (set.slot.empty() || slot == slots.end() ||
            configuration.variant(slot->name, slot->default_variant) != slot->default_variant);
}

void read_set(const std::string& prefix, const Configuration& configuration) {
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        if (set.prefix == prefix) { configuration.note(*set.parameters, prefix); }
    }
}

}  // namespace

void read_variant(std::string_view slot, const std::string& name, const Configuration& configuration) {
    const VariantEntry* variant = find_variant(slot, name);
    if (variant == nullptr) { detail::unknown_variant(slot, name, configuration); }
    read_set(name, configuration);
    for (const std::string& prefix : variant->reads) { read_set(prefix, configuration); }
}

void read_registered(const Configuration& configuration) {
    for (const SlotEntry& slot : registered_slots()) {
        if (slot.takes_several) {
            for (const std::string& name : detail::joined_names(slot.name, slot.default_variant, configuration)) {
                read_variant(slot.name, name, configuration);
            }
        } else if (!slot.default_variant.empty()) {
            read_variant(slot.name, configuration.variant(slot.name, slot.default_variant), configuration);
        }
    }
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        if (is_read(set, configuration)) { configuration.note(*set.parameters, set.prefix); }
    }
}

}  // namespace lookahead
