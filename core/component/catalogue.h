#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead {

struct SlotEntry {
    std::string name;  ///< also the configuration key, unless there is an option: "router.arbiter"
    std::string description;
    std::string option = {};           ///< command-line option that chooses a variant: "--sync"
    std::string default_variant = {};  ///< empty if the configuration has no key for the slot
    bool takes_several = false;        ///< whether the slot takes several variants, joined by `+`
};

struct VariantEntry {
    std::string slot;
    std::string name;
    std::string description;
    std::string source;
    const ParameterList* parameters = nullptr;  ///< under the prefix `name`; null: the variant has none
    std::vector<std::string> reads = {};        ///< prefixes of other variants whose parameters it also reads
};

/// The registered slots and variants, each ordered by name. core/param/parameter_registry.h has the parameter sets
/// (also those of variants), core/stats/statistics_registry.h the statistics sets; core/component/describe.h prints all
/// of them.
const std::vector<SlotEntry>& registered_slots();
const std::vector<VariantEntry>& registered_variants();

/// A slot's variants, in their order.
std::vector<std::string> variant_names(std::string_view slot);
/// Null if the slot has no variant of that name.
const VariantEntry* find_variant(std::string_view slot, std::string_view name);
/// Whether the set holds the parameters of a variant.
bool belongs_to_variant(const ParameterSetEntry& set);

/// The same slot may be added repeatedly, but always with the same description.
void add_slot(SlotEntry slot);
/// Throws InternalError if the slot has a variant of that name or the description is empty.
void add_variant(VariantEntry variant);

}  // namespace lookahead
