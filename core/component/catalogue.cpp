#include "core/component/catalogue.h"

#include <algorithm>
#include <tuple>

#include "core/error/error.h"

namespace lookahead {

namespace {

std::vector<SlotEntry>& slots() {
    static std::vector<SlotEntry> all;
    return all;
}

std::vector<VariantEntry>& variants() {
    static std::vector<VariantEntry> all;
    return all;
}

}  // namespace

const std::vector<SlotEntry>& registered_slots() {
    return slots();
}
const std::vector<VariantEntry>& registered_variants() {
    return variants();
}

std::vector<std::string> variant_names(std::string_view slot) {
    std::vector<std::string> names;
    for (const VariantEntry& each : variants()) {
        if (each.slot == slot) { names.push_back(each.name); }
    }
    return names;
}

const VariantEntry* find_variant(std::string_view slot, std::string_view name) {
    const auto found = std::ranges::find_if(
        variants(), [&](const VariantEntry& each) { return each.slot == slot && each.name == name; });
    return found == variants().end() ? nullptr : &*found;
}

bool belongs_to_variant(const ParameterSetEntry& set) {
    return std::ranges::any_of(variants(), [&](const VariantEntry& variant) {
        return variant.name == set.prefix && variant.parameters == set.parameters;
    });
}

void add_slot(SlotEntry slot) {
    LOOKAHEAD_ASSERT(!slot.description.empty(), "the slot {} has no description", slot.name);
    const auto place = std::lower_bound(slots().begin(), slots().end(), slot.name,
                                        [](const auto& entry, const auto& name) { return entry.name < name; });
    if (place == slots().end() || place->name != slot.name) { slots().insert(place, std::move(slot)); }
}

void add_variant(VariantEntry variant) {
    LOOKAHEAD_ASSERT(!variant.description.empty(), "the variant {} of {} has no description", variant.name,
                     variant.slot);
    const auto before = [](const VariantEntry& a, const VariantEntry& b) {
        return std::tie(a.slot, a.name) < std::tie(b.slot, b.name);
    };
    const auto place = std::lower_bound(variants().begin(), variants().end(), variant, before);
    LOOKAHEAD_ASSERT(place == variants().end() || before(variant, *place), "the slot {} has two variants named {}",
                     variant.slot, variant.name);
    if (variant.parameters != nullptr) { add_parameter_set({variant.name, variant.description, variant.parameters}); }
    variants().insert(place, std::move(variant));
}

}  // namespace lookahead
