#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/component/catalogue.h"

namespace lookahead::test {

/// The names of a slot's variants that this program has, from the catalogue: a new variant is tested without being listed.
inline std::vector<std::string> variants_of(std::string_view slot,
                                            std::initializer_list<std::string_view> without = {}) {
    std::vector<std::string> names;
    for (const VariantEntry& variant : registered_variants()) {
        if (variant.slot == slot && std::ranges::find(without, variant.name) == without.end()) {
            names.push_back(variant.name);
        }
    }
    return names;
}

}  // namespace lookahead::test
