#include "core/param/parameters.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/error/error.h"

namespace lookahead {

namespace {

constexpr auto kNoMin = std::numeric_limits<std::int64_t>::min();
constexpr auto kNoMax = std::numeric_limits<std::int64_t>::max();

std::string bounds_text(bool has_min, const std::string& min, bool has_max, const std::string& max) {
    if (has_min && has_max) { return fmt::format(", {} to {}", min, max); }
    return has_min ? fmt::format(", {} or more", min) : has_max ? fmt::format(", {} or less", max) : "";
}

}  // namespace

std::string dotted(std::string_view prefix, std::string_view name) {
    return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
}

std::string Parameter::values_text() const {
    if (!choices.empty()) { return fmt::format("one of {}", fmt::join(choices, ", ")); }
    static constexpr const char* kNames[] = {"switch (true or false)", "integer", "number", "text"};
    std::string range;
    if (type == ParameterType::integer) {
        range = bounds_text(integer_min != kNoMin, std::to_string(integer_min), integer_max != kNoMax,
                            std::to_string(integer_max));
    } else if (type == ParameterType::real) {
        range = bounds_text(std::isfinite(real_min), to_toml(real_min), std::isfinite(real_max), to_toml(real_max));
    }
    return fmt::format("{}{}", kNames[static_cast<std::size_t>(type)], range);
}

bool Parameter::accepts_type(const ParameterValue& value) const {
    return value.index() == static_cast<std::size_t>(type);
}

bool Parameter::accepts_range(const ParameterValue& value) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return *whole >= integer_min && *whole <= integer_max;
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return std::isfinite(*real) && *real >= real_min && *real <= real_max;
    }
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr || choices.empty() || std::ranges::find(choices, *text) != choices.end();
}

void check_parameter_list(const ParameterList& list) {
    std::set<std::string_view> names;
    for (const Parameter& each : list) {
        LOOKAHEAD_ASSERT(!each.name.empty(), "a parameter has no name");
        LOOKAHEAD_ASSERT(names.insert(each.name).second, "two parameters are named {}", each.name);
        LOOKAHEAD_ASSERT(!each.help.empty(), "the parameter {} has no help text", each.name);
        LOOKAHEAD_ASSERT(each.accepts_type(each.default_value) && each.accepts_range(each.default_value),
                         "the default of the parameter {} is out of its range", each.name);
    }
}

}  // namespace lookahead
