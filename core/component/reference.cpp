#include "core/component/reference.h"

#include <fmt/format.h>

#include "core/component/catalogue.h"

namespace lookahead {

namespace {

std::string code(std::string_view text) {
    std::string shown = "`";
    for (const char c : text) { shown += c == '|' ? "\\|" : std::string(1, c); }
    return fmt::format("{}`", shown);
}

std::string row(std::initializer_list<std::string> cells) {
    std::string text = "|";
    for (const std::string& cell : cells) { text += fmt::format(" {} |", cell); }
    return fmt::format("{}\n", text);
}

/// Adds a character, escaped if it would end a cell or begin HTML; inside ` marks only the first needs it.
void add_escaped(std::string& text, char c, bool is_code) {
    if (c == '|') {
        text += "\\|";
    } else if (c == '<' && !is_code) {
        text += "&lt;";
    } else {
        text += c == '\n' ? ' ' : c;
    }
}

std::string parameter_rows(const std::string& prefix, const ParameterList& list) {
    std::string text = "| key | values | unit | default | meaning | source |\n|---|---|---|---|---|---|\n";
    for (const Parameter& parameter : list) {
        text += row({code(dotted(prefix, parameter.name)), markdown_cell(parameter.values_text()),
                     markdown_cell(parameter.unit), code(to_toml(parameter.default_value)),
                     markdown_cell(parameter.help), markdown_cell(parameter.source)});
    }
    return text;
}

std::string choice_of(const SlotEntry& slot) {
    if (!slot.option.empty()) { return fmt::format("Chosen by {}.", code(slot.option)); }
    std::string text = fmt::format("Chosen by {}", code(fmt::format("-o {}=NAME", slot.name)));
    text += slot.default_variant.empty() ? "" : fmt::format("; the default is {}", code(slot.default_variant));
    return text + (slot.takes_several ? "; several are joined by `+`." : ".");
}

}  // namespace

std::string markdown_cell(std::string_view text) {
    std::string cell;
    bool is_code = false;
    for (const char c : text) {
        is_code = is_code != (c == '`');
        add_escaped(cell, c, is_code);
    }
    return cell;
}

std::string parameters_page() {
    std::string text =
        "# Parameters\nKeys of machine files, of `-o KEY=VALUE`, and, under a workload's name, of `--set`. A table for "
        "each prefix.\n";
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        if (!set.parameters->empty()) {
            text += fmt::format("\n## {}\n{}\n\n{}", code(set.prefix), markdown_cell(set.description),
                                parameter_rows(set.prefix, *set.parameters));
        }
    }
    return text;
}

std::string variants_page(std::string_view left_out) {
    std::string text = "# Variants\nEach slot of the machine and its variants.\n";
    for (const SlotEntry& slot : registered_slots()) {
        if (slot.name == left_out) { continue; }
        text += fmt::format("\n## {}\n{} {}\n\n| variant | what | source |\n|---|---|---|\n", code(slot.name),
                            markdown_cell(slot.description), choice_of(slot));
        for (const VariantEntry& variant : registered_variants()) {
            if (variant.slot == slot.name) {
                text += row({code(variant.name), markdown_cell(variant.description), markdown_cell(variant.source)});
            }
        }
    }
    return text;
}

std::string statistics_page() {
    std::string text =
        "# Statistics\nIn a result file, `counters/KIND/NAME` has an element for each component, `series/KIND/NAME` "
        "has the counters that are kept over time, and `kernel_counters` has the counts of each launch. A table for "
        "each kind.\n";
    for (const StatisticsSetEntry& set : registered_statistics_sets()) {
        text += fmt::format("\n## {}\n{}\n\n| statistic | unit | meaning |\n|---|---|---|\n", code(set.kind),
                            markdown_cell(set.description));
        for (const StatisticEntry& statistic : set.statistics) {
            text += row({code(fmt::format("{}.{}", set.kind, statistic.name)), markdown_cell(statistic.unit),
                         markdown_cell(statistic.description)});
        }
    }
    return text;
}

}  // namespace lookahead
