#include "core/component/describe.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/component/catalogue.h"
#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead {

namespace {

std::string parameter_line(const std::string& prefix, const Parameter& parameter) {
    std::string line = fmt::format("{} = {}", dotted(prefix, parameter.name), to_toml(parameter.default_value));
    line += parameter.unit.empty() ? "" : fmt::format(" {}", parameter.unit);
    return fmt::format("{}  ({})  {}\n", line, parameter.values_text(), parameter.help);
}

std::string parameter_page(const ParameterSetEntry& set, const Parameter& parameter) {
    std::string text = fmt::format("parameter {}\n  {}\n", dotted(set.prefix, parameter.name), parameter.help);
    text += fmt::format("  type:    {}\n", parameter.values_text());
    text += parameter.unit.empty() ? "" : fmt::format("  unit:    {}\n", parameter.unit);
    text += fmt::format("  default: {}\n", to_toml(parameter.default_value));
    text += parameter.source.empty() ? "" : fmt::format("  source:  {}\n", parameter.source);
    return fmt::format("{}  of:      {} ({})\n", text, set.prefix, set.description);
}

std::string parameter_lines(const std::string& prefix, const ParameterList& list) {
    std::string text = list.empty() ? "" : "  parameters:\n";
    for (const Parameter& parameter : list) { text += fmt::format("    {}", parameter_line(prefix, parameter)); }
    return text;
}

std::string statistic_line(const std::string& kind, const StatisticEntry& statistic) {
    const std::string unit = statistic.unit.empty() ? "" : fmt::format(" [{}]", statistic.unit);
    return fmt::format("{}.{}{}  {}\n", kind, statistic.name, unit, statistic.description);
}

std::string key_and_value(std::string_view slot, const std::string& variant) {
    return fmt::format("{}={}", slot, variant);
}

/// The slot whose chosen variant implies this one; empty if there is none.
std::string_view bringing_slot(const VariantEntry& variant, std::span<const SlotChoice> choices) {
    const auto choice = std::ranges::find_if(choices, [&](const SlotChoice& each) {
        return each.slot == variant.slot && find_variant(each.brought_by, variant.name) != nullptr;
    });
    return choice == choices.end() ? std::string_view() : choice->brought_by;
}

/// "-o router.arbiter=oldest" or "--sync window".
std::string how_to_choose(const VariantEntry& variant, std::span<const SlotChoice> choices) {
    if (const std::string_view bringing = bringing_slot(variant, choices); !bringing.empty()) {
        return fmt::format("-o {}, which brings it", key_and_value(bringing, variant.name));
    }
    if (const auto choice = std::ranges::find(choices, variant.slot, &SlotChoice::slot);
        choice != choices.end() && !choice->command.empty()) {
        return fmt::format("{} {}", choice->command, variant.name);
    }
    const auto& slots = registered_slots();
    const auto slot = std::ranges::find(slots, variant.slot, &SlotEntry::name);
    return slot == slots.end() || slot->option.empty() ? fmt::format("-o {}", key_and_value(variant.slot, variant.name))
                                                       : fmt::format("{} {}", slot->option, variant.name);
}

/// One line " brings: router.queue=shared\n" for each variant that this one implies.
std::string brought_lines(const VariantEntry& variant, std::span<const SlotChoice> choices) {
    std::string text;
    for (const SlotChoice& choice : choices) {
        if (choice.brought_by == variant.slot && find_variant(choice.slot, variant.name) != nullptr) {
            text += fmt::format("  brings: {}\n", key_and_value(choice.slot, variant.name));
        }
    }
    return text;
}

std::string variant_page(const VariantEntry& variant, std::span<const SlotChoice> choices) {
    std::string text = fmt::format("variant {} of slot {}\n  {}\n", variant.name, variant.slot, variant.description);
    text += variant.source.empty() ? "" : fmt::format("  source: {}\n", variant.source);
    text += fmt::format("  choose: {}\n{}", how_to_choose(variant, choices), brought_lines(variant, choices));
    return variant.parameters == nullptr ? text : text + parameter_lines(variant.name, *variant.parameters);
}

std::string slot_page(const SlotEntry& slot) {
    std::string text = fmt::format("slot {}\n  {}\n", slot.name, slot.description);
    text += slot.default_variant.empty() ? "" : fmt::format("  default: {}\n", slot.default_variant);
    text += "  variants:\n";
    for (const VariantEntry& variant : registered_variants()) {
        if (variant.slot == slot.name) { text += fmt::format("    {}  {}\n", variant.name, variant.description); }
    }
    return text;
}

void describe_slots(std::string_view name, std::span<const SlotChoice> choices, std::vector<std::string>& pages) {
    for (const SlotEntry& slot : registered_slots()) {
        if (slot.name == name) { pages.push_back(slot_page(slot)); }
    }
    for (const bool is_brought : {false, true}) {
        for (const VariantEntry& variant : registered_variants()) {
            if (variant.name == name && bringing_slot(variant, choices).empty() != is_brought) {
                pages.push_back(variant_page(variant, choices));
            }
        }
    }
}

void describe_parameters(std::string_view name, std::vector<std::string>& pages) {
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        if (set.prefix == name && !belongs_to_variant(set)) {
            pages.push_back(fmt::format("parameters {}\n  {}\n{}", set.prefix, set.description,
                                        parameter_lines(set.prefix, *set.parameters)));
        }
        for (const Parameter& parameter : *set.parameters) {
            if (parameter.name == name || dotted(set.prefix, parameter.name) == name) {
                pages.push_back(parameter_page(set, parameter));
            }
        }
    }
}

void describe_statistics(std::string_view name, std::vector<std::string>& pages) {
    for (const StatisticsSetEntry& set : registered_statistics_sets()) {
        if (set.kind == name) {
            std::string page = fmt::format("statistics of kind {}\n  {}\n", set.kind, set.description);
            for (const StatisticEntry& statistic : set.statistics) {
                page += fmt::format("    {}", statistic_line(set.kind, statistic));
            }
            pages.push_back(page);
        }
        for (const StatisticEntry& statistic : set.statistics) {
            if (statistic.name == name || dotted(set.kind, statistic.name) == name) {
                pages.push_back(fmt::format("statistic {}\n  {}\n{}  of:   {} ({})\n", dotted(set.kind, statistic.name),
                                            statistic.description,
                                            (statistic.unit.empty() ? "" : fmt::format("  unit: {}\n", statistic.unit)),
                                            set.kind, set.description));
            }
        }
    }
}

}  // namespace

std::string list_variants(std::string_view left_out) {
    std::string text;
    for (const SlotEntry& slot : registered_slots()) {
        if (slot.name == left_out) { continue; }
        text += fmt::format("{}  {}\n", slot.name, slot.description);
        for (const VariantEntry& variant : registered_variants()) {
            if (variant.slot == slot.name) {
                text += fmt::format("  {}  {}{}\n", variant.name, variant.description,
                                    (variant.source.empty() ? "" : fmt::format(" ({})", variant.source)));
            }
        }
    }
    return text;
}

std::string list_parameters() {
    std::string text;
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        for (const Parameter& parameter : *set.parameters) { text += parameter_line(set.prefix, parameter); }
    }
    return text;
}

std::string list_statistics() {
    std::string text;
    for (const StatisticsSetEntry& set : registered_statistics_sets()) {
        for (const StatisticEntry& statistic : set.statistics) { text += statistic_line(set.kind, statistic); }
    }
    return text;
}

std::optional<std::string> try_describe(std::string_view name, std::span<const SlotChoice> choices) {
    std::vector<std::string> pages;
    describe_slots(name, choices, pages);
    describe_parameters(name, pages);
    describe_statistics(name, pages);
    if (pages.empty()) { return std::nullopt; }
    return fmt::format("{}", fmt::join(pages, "\n"));
}

std::vector<std::string> describable_names() {
    std::set<std::string> names;
    for (const SlotEntry& slot : registered_slots()) { names.insert(slot.name); }
    for (const VariantEntry& variant : registered_variants()) { names.insert(variant.name); }
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        names.insert(set.prefix);
        for (const Parameter& parameter : *set.parameters) {
            names.insert({parameter.name, dotted(set.prefix, parameter.name)});
        }
    }
    for (const StatisticsSetEntry& set : registered_statistics_sets()) {
        names.insert(set.kind);
        for (const StatisticEntry& statistic : set.statistics) {
            names.insert({statistic.name, dotted(set.kind, statistic.name)});
        }
    }
    names.erase("");
    return {names.begin(), names.end()};
}

std::string describe(std::string_view name, std::span<const SlotChoice> choices) {
    if (auto text = try_describe(name, choices)) { return *text; }
    throw ConfigurationError("nothing is named \"{}\"{}; `lookahead list` lists the names", name,
                             did_you_mean(name, describable_names()));
}

}  // namespace lookahead
