#include "experiments/sweep/axis_numbers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/param/parameter_registry.h"
#include "core/text/read_number.h"

namespace lookahead {

namespace {

/// The key that the axis sets to the names of its values; empty for another kind of axis.
std::string key_of(const Axis& axis) {
    const auto key = [](const AxisValue& value) -> std::string {
        const std::string ending = fmt::format("={}", value.name);
        const bool is_key = value.options.size() == 1 && value.settings.empty() && value.machine.empty() &&
                            value.options.front().ends_with(ending);
        return is_key ? value.options.front().substr(0, value.options.front().size() - ending.size()) : "";
    };
    const std::string first = axis.values.empty() ? "" : key(axis.values.front());
    return std::ranges::all_of(axis.values, [&](const AxisValue& value) { return key(value) == first; }) ? first : "";
}

}  // namespace

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    return read_number(text, number) && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool is_numeric(const Axis& axis) {
    return std::ranges::all_of(axis.values, [](const AxisValue& value) { return number_of(value.name).has_value(); });
}

std::string unit_of(const Axis& axis) {
    const std::string key = key_of(axis);
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        for (const Parameter& parameter : *set.parameters) {
            if (dotted(set.prefix, parameter.name) == key) { return parameter.unit; }
        }
    }
    return "";
}

}  // namespace lookahead
