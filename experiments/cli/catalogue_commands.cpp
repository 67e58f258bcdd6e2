// `list` and `describe`: print the catalogue and explain its entries.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "core/component/catalogue.h"
#include "core/component/describe.h"
#include "core/json/json.h"
#include "experiments/cli/command_table.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"
#include "experiments/machines/brought_transforms.h"
#include "experiments/machines/machines.h"
#include "experiments/sweep/study.h"
#include "experiments/workloads/manifest.h"
#include "experiments/workloads/workload.h"

namespace lookahead::cli {

namespace {

/// "CAPS CP regular, DAC CP compute"; empty if no paper uses it.
std::string in_papers(const ManifestEntry& entry) {
    std::string text;
    for (const InPaper& use : entry.papers) {
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", use.paper, use.name, use.kind);
    }
    return text;
}

/// One line per workload: scripts take the first word.
std::string list_workloads() {
    std::string text;
    const auto add = [&text](std::string_view name, const std::string& what) {
        text += fmt::format("  {:<21} {}\n", name, what);
    };
    for (const ManifestEntry& entry : workload_manifest()) {
        const std::string papers = in_papers(entry);
        add(entry.name, fmt::format("{} [{}{}{}]", entry.description, entry.suite, papers.empty() ? "" : "; ", papers));
    }
    for (const VariantEntry& variant : registered_variants()) {
        const auto is_it = [&](const ManifestEntry& entry) { return entry.name == variant.name; };
        if (variant.slot == SlotTraits<Workload>::name && std::ranges::none_of(workload_manifest(), is_it)) {
            add(variant.name, variant.description);
        }
    }
    return text;
}

/// `about`: the member of an entry that is printed after its name.
template <class Entry>
std::string list_of(std::span<const Entry> entries, int width, std::string_view Entry::*about) {
    std::string text;
    for (const Entry& entry : entries) { text += fmt::format("  {:<{}} {}\n", entry.name, width, entry.*about); }
    return text;
}

std::string list_everything(const std::string& what) {
    std::string text;
    const auto section = [&](const char* name, const auto& make) {
        if (what.empty() || what == name) {
            text += (what.empty() ? fmt::format("{}\n", name) : "") + make() + (what.empty() ? "\n" : "");
        }
    };
    section("workloads", list_workloads);
    section("machines", [] { return list_of(built_in_machines(), 15, &BuiltInMachine::description); });
    // Workloads are variants too, but have a section of their own.
    section("variants", [&] { return list_variants(what.empty() ? SlotTraits<Workload>::name : ""); });
    section("studies", [] { return list_of(built_in_studies(), 23, &BuiltInStudy::title); });
    if (what == "parameters") { text += list_parameters(); }
    if (what == "statistics") { text += list_statistics(); }
    return text;
}

Json::Array names_of(const auto& entries) {
    Json::Array names;
    for (const auto& entry : entries) { names.push_back(std::string(entry.name)); }
    return names;
}

Json workload_names() {
    Json::Array names = names_of(workload_manifest());
    for (const std::string& name : variant_names(SlotTraits<Workload>::name)) {
        if (std::ranges::find(workload_manifest(), name, &ManifestEntry::name) == workload_manifest().end()) {
            names.push_back(name);
        }
    }
    return names;
}

Json variant_names_of(std::string_view left_out) {
    Json::Object slots;
    for (const SlotEntry& slot : registered_slots()) {
        if (slot.name != left_out) {
            const auto names = variant_names(slot.name);
            slots.emplace_back(slot.name, Json::Array(names.begin(), names.end()));
        }
    }
    return slots;
}

Json parameter_names() {
    Json::Array names;
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        for (const Parameter& parameter : *set.parameters) { names.push_back(dotted(set.prefix, parameter.name)); }
    }
    return names;
}

Json statistic_names() {
    Json::Array names;
    for (const StatisticsSetEntry& set : registered_statistics_sets()) {
        for (const StatisticEntry& statistic : set.statistics) {
            names.push_back(fmt::format("{}.{}", set.kind, statistic.name));
        }
    }
    return names;
}

Json names_by_kind(const std::string& what) {
    Json::Object kinds;
    const auto add = [&](const char* kind, bool is_by_default, const auto& make) {
        if (what.empty() ? is_by_default : what == kind) { kinds.emplace_back(kind, make()); }
    };
    add("workloads", true, workload_names);
    add("machines", true, [] { return names_of(built_in_machines()); });
    add("variants", true, [&] { return variant_names_of(what.empty() ? SlotTraits<Workload>::name : ""); });
    add("studies", true, [] { return names_of(built_in_studies()); });
    add("parameters", false, parameter_names);
    add("statistics", false, statistic_names);
    return kinds;
}

std::string describe_anything(const std::string& name) {
    for (const BuiltInMachine& machine : built_in_machines()) {
        if (machine.name == name) { return std::string(machine.toml); }
    }
    for (const BuiltInStudy& study : built_in_studies()) {
        if (study.name == name) { return std::string(study.toml); }
    }
    const SlotChoice choices[] = {{.slot = SlotTraits<Workload>::name, .command = "lookahead run"}, kBroughtTransforms};
    return describe(name, choices);
}

}  // namespace

void add_list_command(Command program, Session& session) {
    Command command =
        program.add_command("list", "List workloads, machines, variants, studies, parameters or statistics.");
    auto what = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command
        .add_option("WHAT", *what,
                    "workloads, machines, variants, studies (all four if left out), parameters, statistics")
        .one_of({"workloads", "machines", "variants", "studies", "parameters", "statistics"});
    command.add_flag("--json", *json, "Print one JSON object on stdout and nothing else: the names of each kind");
    session.on(command, [&session, what, json] {
        session.print(*json ? fmt::format("{}\n", names_by_kind(*what).page()) : list_everything(*what));
        return ExitCode::done;
    });
}

void add_describe_command(Command program, Session& session) {
    Command command = program.add_command("describe",
                                          "Describe a variant, slot, workload, machine, parameter or statistic: "
                                          "meaning, unit, range, default, source.");
    auto name = std::make_shared<std::string>();
    auto folder = std::make_shared<std::string>();
    command.add_option("NAME", *name, "for example gto, sm.warp_scheduler, l1d.ways, bfs, gtx480");
    command.add_option(
        "--markdown", *folder,
        "Instead of a NAME: write the reference of all commands, parameters, variants, statistics and file "
        "formats into this folder, in Markdown");
    auto force = std::make_shared<bool>(false);
    command.add_flag("--force", *force, "With --markdown: write even into a folder with other files");
    session.on(command, [&session, name, folder, force] {
        if (name->empty() == folder->empty()) {
            throw ConfigurationError("describe takes a NAME or --markdown FOLDER; `lookahead list` lists the names");
        }
        if (name->empty()) {
            write_reference(*folder, *force, session);
            session.print(fmt::format("{}/README.md\n", *folder));
            return ExitCode::done;
        }
        session.print(fmt::format("{}\n", describe_anything(*name)));
        return ExitCode::done;
    });
}

}  // namespace lookahead::cli
