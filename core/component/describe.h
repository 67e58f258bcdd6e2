#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead {

/// One line for each variant, grouped by slot. Leaves out the slot `left_out`, if it is named.
std::string list_variants(std::string_view left_out = "");
/// One line for each parameter: key, type and range, unit, default, help.
std::string list_parameters();
/// One line for each statistic: kind.name, unit, description.
std::string list_statistics();

/// How the variants of a slot are chosen, if not by the slot's key or option alone.
struct SlotChoice {
    std::string_view slot;
    std::string_view command = {};     ///< the command that a variant's name follows: "lookahead run"
    std::string_view brought_by = {};  ///< a slot whose variants imply the variants of the same name in this one
};

/// Describes the slot, variant, parameter set, parameter ("l1d.ways" or "ways"), statistics kind or statistic
/// ("router.cycles" or "cycles") of that name, or each of them if there are several. Returns nothing if the name is
/// unknown.
std::optional<std::string> try_describe(std::string_view name, std::span<const SlotChoice> choices = {});

/// All names that try_describe() knows, for suggestions.
std::vector<std::string> describable_names();

/// Like try_describe(); an unknown name is a ConfigurationError with "did you mean".
std::string describe(std::string_view name, std::span<const SlotChoice> choices = {});

}  // namespace lookahead
