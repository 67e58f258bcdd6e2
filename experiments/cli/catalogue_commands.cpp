// `list` and `describe`: what there is, and what it means.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "core/component/catalogue.h"
#include "core/component/describe.h"
#include "core/param/suggestion.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/reference.h"
#include "experiments/cli/session.h"
#include "experiments/machines/brought_transforms.h"
#include "experiments/machines/machines.h"
#include "experiments/sweep/study.h"
#include "experiments/workloads/manifest.h"
#include "experiments/workloads/workload.h"

namespace lookahead::cli {

namespace {

/// "CAPS CP regular, DAC CP compute", or nothing where no paper uses it.
std::string in_papers(const ManifestEntry& entry) {
    std::string text;
    const auto add = [&text](std::string_view paper, std::string_view abbreviation, std::string_view kind) {
        if (!abbreviation.empty()) {
            text += (text.empty() ? "" : ", ") + std::string(paper) + " " + std::string(abbreviation) +
                    (kind.empty() ? "" : " ") + std::string(kind);
        }
    };
    add("CAPS", entry.caps, entry.caps_class);
    add("P-mode", entry.pmode, entry.pmode_class);
    add("DAC", entry.dac, entry.dac_class);
    add("vector memory", entry.vecmem, entry.vecmem_class);
    add("AVC", entry.avc, entry.avc_class);
    return text;
}

/// A line each: scripts take the first word.
std::string list_workloads() {
    std::string text;
    const auto add = [&text](std::string_view name, const std::string& what) {
        text += "  " + std::string(name) + std::string(22 - std::min<std::size_t>(21, name.size()), ' ') + what + "\n";
    };
    for (const ManifestEntry& entry : workload_manifest()) {
        const std::string papers = in_papers(entry);
        add(entry.name, std::string(entry.description) + " [" + std::string(entry.suite) +
                            (papers.empty() ? "" : "; " + papers) + "]");
    }
    for (const VariantEntry& variant : registered_variants()) {
        const auto is_it = [&](const ManifestEntry& entry) { return entry.name == variant.name; };
        if (variant.slot == SlotTraits<Workload>::name && std::ranges::none_of(workload_manifest(), is_it)) {
            add(variant.name, variant.description);
        }
    }
    return text;
}

std::string list_machines() {
    std::string text;
    for (const BuiltInMachine& machine : built_in_machines()) {
        text += "  " + std::string(machine.name) +
                std::string(16 - std::min<std::size_t>(15, machine.name.size()), ' ') +
                std::string(machine.description) + "\n";
    }
    return text;
}

std::string list_studies() {
    std::string text;
    for (const BuiltInStudy& study : built_in_studies()) {
        text += "  " + std::string(study.name) + std::string(24 - std::min<std::size_t>(23, study.name.size()), ' ') +
                std::string(study.title) + "\n";
    }
    return text;
}

std::string list_everything(const std::string& what) {
    std::string text;
    const auto section = [&](const char* name, const auto& make) {
        if (what.empty() || what == name) {
            text += (what.empty() ? std::string(name) + "\n" : "") + make() + (what.empty() ? "\n" : "");
        }
    };
    section("workloads", list_workloads);
    section("machines", list_machines);
    // Workloads are variants too, but have a section of their own.
    section("variants", [&] { return list_variants(what.empty() ? SlotTraits<Workload>::name : ""); });
    section("studies", list_studies);
    if (what == "parameters") {
        text += list_parameters();
    }
    if (what == "statistics") {
        text += list_statistics();
    }
    return text;
}

std::string describe_anything(const std::string& name) {
    for (const BuiltInMachine& machine : built_in_machines()) {
        if (machine.name == name) {
            return std::string(machine.toml);
        }
    }
    for (const BuiltInStudy& study : built_in_studies()) {
        if (study.name == name) {
            return std::string(study.toml);
        }
    }
    const SlotChoice choices[] = {{.slot = SlotTraits<Workload>::name, .command = "lookahead run"}, kBroughtTransforms};
    return describe(name, choices);
}

}  // namespace

void add_list_command(Command program, Session& session) {
    Command command =
        program.add_command("list", "List workloads, machines, variants, studies, parameters or statistics.");
    auto what = std::make_shared<std::string>();
    command
        .add_option("WHAT", *what,
                    "workloads, machines, variants, studies (all four if left out), parameters, statistics")
        .one_of({"workloads", "machines", "variants", "studies", "parameters", "statistics"});
    command.when_given([&session, what] {
        session.action = [&session, what] {
            session.print(list_everything(*what));
            return ExitCode::done;
        };
    });
}

void add_describe_command(Command program, Session& session) {
    Command command = program.add_command("describe",
                                          "Say what a variant, slot, workload, machine, parameter or statistic "
                                          "is: meaning, unit, range, default, source.");
    auto name = std::make_shared<std::string>();
    auto folder = std::make_shared<std::string>();
    command.add_option("NAME", *name, "for example gto, sm.warp_scheduler, l1d.ways, bfs, gtx480");
    command.add_option(
        "--markdown", *folder,
        "Instead of a NAME: write the reference of all commands, parameters, variants, statistics and file "
        "formats into this folder, in Markdown");
    command.when_given([&session, name, folder] {
        if (name->empty() == folder->empty()) {
            throw ConfigurationError(
                "describe takes a NAME or --markdown FOLDER; `lookahead list` shows what there is");
        }
        session.action = [&session, name, folder] {
            if (name->empty()) {
                write_reference(*folder, session);
                session.print(*folder + "/README.md\n");
                return ExitCode::done;
            }
            session.print(describe_anything(*name) + "\n");
            return ExitCode::done;
        };
    });
}

}  // namespace lookahead::cli
