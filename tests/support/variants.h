#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/component/catalogue.h"

namespace lookahead::test {

/// Returns the names; fails with fewer than `count`: a test of all registered variants would pass without any if the
/// linker dropped them.
inline std::vector<std::string> at_least(std::size_t count, std::vector<std::string> names) {
    REQUIRE(names.size() >= count);
    return names;
}

/// The names of a slot's variants in this program, from the catalogue: a new variant is tested without being listed.
/// There is at least one.
inline std::vector<std::string> variants_of(std::string_view slot,
                                            std::initializer_list<std::string_view> without = {}) {
    std::vector<std::string> names;
    for (const VariantEntry& variant : registered_variants()) {
        if (variant.slot == slot && std::ranges::find(without, variant.name) == without.end()) {
            names.push_back(variant.name);
        }
    }
    return at_least(1, std::move(names));
}

}  // namespace lookahead::test
