#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/json/json.h"

namespace lookahead::cli {

/// The part as a percentage of the whole; 0 if the whole is 0.
constexpr double percentage(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Counts by the names of an enumeration.
template <class Name, std::size_t kSize>
Json::Object counts_as_json(const std::array<std::uint64_t, kSize>& counts) {
    Json::Object object;
    for (std::size_t i = 0; i < kSize; ++i) {
        object.emplace_back(std::string(name_of(static_cast<Name>(i))), counts[i]);
    }
    return object;
}

}  // namespace lookahead::cli
