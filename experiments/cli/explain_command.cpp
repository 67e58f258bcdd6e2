// `explain`: the changes made by a kernel transform, and the reasons for changes not made; or native code as text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/native/decode.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "components/sm/simt/simt_model.h"
#include "core/json/json.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/named_files.h"
#include "experiments/cli/percentage.h"
#include "experiments/cli/session.h"
#include "experiments/run/native_code.h"
#include "experiments/run/program.h"
#include "experiments/workloads/manifest.h"

namespace lookahead::cli {

namespace {

struct ExplainOptions {
    MachineOptions machine;
    std::string transform;
    std::string source;
    std::string size = "tiny";
    bool summary = false;
    bool json = false;
    bool native = false;
};

Configuration with_transform(const ExplainOptions& options, const std::string& transform) {
    Configuration configuration = options.machine.configuration();
    configuration.override_value(fmt::format("kernel.transform={}", transform));
    return configuration;
}

bool is_file(const std::string& source) {
    return std::filesystem::is_regular_file(source);
}

isa::KernelTable kernels_of(const std::string& source, const Configuration& configuration) {
    if (const auto text = read_ptx(source)) {
        require_known_keys(configuration);
        return finaliser::finalise_module(ptx::parse_module(*text, source, ptx::Refusal::of_kernel),
                                          finaliser_options(configuration));
    }
    const auto workload = checked_workload(source, configuration, WorkloadContext{});
    return load_kernels(*workload, configuration);
}

/// SOURCE or SOURCE:KERNEL.
struct Target {
    std::string source;
    std::string kernel;
};

Target target_of(const std::string& given) {
    const std::size_t colon = given.rfind(':');
    if (is_file(given) || colon == std::string::npos) { return {given, ""}; }
    return {given.substr(0, colon), given.substr(colon + 1)};
}

/// The counterparts of an instruction in each stream of a transformed kernel, by origin.
struct Streams {
    explicit Streams(const isa::Kernel& kernel) : names{"kernel"} {
        for (const isa::Program& program : kernel.programs) { names.push_back(program.name); }
        by_origin.resize(names.size());
        for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
            by_origin[stream_of(kernel, pc)][kernel.origins[pc]].push_back(finaliser::print(kernel, pc));
        }
        for (const isa::Annotation& each : kernel.annotations) {
            const std::string text = each.value == 0 ? each.tag : fmt::format("{} {}", each.tag, each.value);
            tags[kernel.origins[each.instruction]].insert(each.tag);
            notes[kernel.origins[each.instruction]].insert(text);
        }
    }

    static std::size_t stream_of(const isa::Kernel& kernel, std::uint32_t pc) {
        std::size_t stream = 0;
        while (stream < kernel.programs.size() && kernel.programs[stream].entry <= pc) { ++stream; }
        return stream;
    }
    bool in_kernel(std::uint32_t origin) const { return by_origin[0].contains(origin); }

    std::vector<std::string> names;  ///< the kernel's own stream and its further programs
    std::vector<std::map<std::uint32_t, std::vector<std::string>>> by_origin;
    std::map<std::uint32_t, std::set<std::string>> notes;  ///< by origin: tags, with values
    std::map<std::uint32_t, std::set<std::string>> tags;   ///< by origin
};

std::string without_join(std::string text) {
    const std::size_t comment = text.find("  //");
    return comment == std::string::npos ? text : text.substr(0, comment);
}

void print_row(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) { line += fmt::format("{:<50} ", cell); }
    line.erase(line.find_last_not_of(' ') + 1);
    say("{}\n", line);
}

/// Prints in each row an instruction of the original, its counterparts in the streams, and the transform's annotations.
void print_kernel(const isa::Kernel& original, const isa::Kernel& transformed) {
    const Streams streams(transformed);
    say("// {}\n", original.name);
    std::vector<std::string> heading{"original"};
    heading.insert(heading.end(), streams.names.begin(), streams.names.end());
    heading.emplace_back("annotations");
    print_row(heading);
    const auto part = [](const auto& lines, std::uint32_t origin, std::size_t i) {
        const auto found = lines.find(origin);
        return found == lines.end() || i >= found->second.size() ? std::string() : without_join(found->second[i]);
    };
    std::set<std::uint32_t> shown;
    for (std::uint32_t pc = 0; pc < original.code.size(); ++pc) {
        const std::uint32_t origin = original.origins[pc];
        const bool first = shown.insert(origin).second;
        std::size_t rows = 1;
        for (const auto& lines : streams.by_origin) {
            if (const auto found = lines.find(origin); first && found != lines.end()) {
                rows = std::max(rows, found->second.size());
            }
        }
        for (std::size_t i = 0; i < rows; ++i) {
            std::vector<std::string> cells{i == 0 ? without_join(finaliser::print(original, pc)) : ""};
            for (const auto& lines : streams.by_origin) { cells.push_back(first ? part(lines, origin, i) : ""); }
            const auto notes = streams.notes.find(origin);
            cells.push_back(i == 0 && notes != streams.notes.end() ? fmt::format("{}", fmt::join(notes->second, ", "))
                                                                   : "");
            print_row(cells);
        }
    }
    // Instructions that simplification removed from the original but a stream still has.
    for (std::size_t stream = 0; stream < streams.names.size(); ++stream) {
        for (const auto& [origin, texts] : streams.by_origin[stream]) {
            for (const std::string& text : texts) {
                if (shown.contains(origin)) { continue; }
                std::vector<std::string> cells(streams.names.size() + 1);
                cells[stream + 1] = without_join(text);
                print_row(cells);
            }
        }
    }
    say("\n");
}

ExitCode print_kernels(const ExplainOptions& options) {
    const Target target = target_of(options.source);
    const isa::KernelTable original = kernels_of(target.source, with_transform(options, "none"));
    const isa::KernelTable transformed = kernels_of(target.source, with_transform(options, options.transform));
    bool found = false;
    for (std::size_t i = 0; i < original.size(); ++i) {
        if (!target.kernel.empty() && original[i].name != target.kernel) { continue; }
        found = true;
        print_kernel(original[i], transformed[i]);
    }
    if (!found) {
        throw InputError("{} has no kernel{}", target.source,
                         (target.kernel.empty() ? "" : fmt::format(" {}", target.kernel)));
    }
    return ExitCode::done;
}

/// Instructions that transforms reason about, counted separately.
enum class Group : std::uint8_t { loads, stores, predicates, rest, count };
constexpr const char* kGroupNames[] = {"loads", "stores", "predicates", "rest"};

Group group_of(const isa::Instruction& instruction) {
    const bool off_chip = instruction.space == isa::Space::global || instruction.space == isa::Space::local;
    if (isa::is_load(instruction.operation) && off_chip) { return Group::loads; }
    if (isa::is_store(instruction.operation) && off_chip) { return Group::stores; }
    return class_of(instruction) == InstructionClass::predicate ? Group::predicates : Group::rest;
}

struct Tally {
    std::uint64_t instructions = 0;  ///< in the code
    std::uint64_t warps = 0;         ///< executions by warps
    Tally& operator+=(const Tally& other) {
        instructions += other.instructions;
        warps += other.warps;
        return *this;
    }
};

struct Summary {
    Tally all;
    Tally gone;  ///< no longer in the kernel's own stream
    std::array<Tally, static_cast<std::size_t>(Group::count)> groups{};
    std::array<std::map<std::string, Tally>, static_cast<std::size_t>(Group::count)> tags;
    std::uint64_t kernels = 0;

    void operator+=(const Summary& other) {
        all += other.all;
        gone += other.gone;
        kernels += other.kernels;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            groups[i] += other.groups[i];
            for (const auto& [tag, tally] : other.tags[i]) { tags[i][tag] += tally; }
        }
    }
};

/// `executed`: by instruction of the original, the number of executions by warps.
void add(Summary& summary, const isa::Kernel& original, const isa::Kernel& transformed,
         const std::vector<std::uint64_t>& executed) {
    const Streams streams(transformed);
    ++summary.kernels;
    for (std::uint32_t pc = 0; pc < original.own_size(); ++pc) {
        const Tally tally{1, executed[pc]};
        const auto group = static_cast<std::size_t>(group_of(original.code[pc]));
        summary.all += tally;
        summary.groups[group] += tally;
        if (!streams.in_kernel(original.origins[pc])) { summary.gone += tally; }
        if (const auto found = streams.tags.find(original.origins[pc]); found != streams.tags.end()) {
            for (const std::string& tag : found->second) { summary.tags[group][tag] += tally; }
        }
    }
}

/// Runs the original on the functional emulator.
Summary summarise(const ExplainOptions& options, const std::string& name) {
    const Configuration plain = with_transform(options, "none");
    const Configuration changed = with_transform(options, options.transform);
    const auto workload = checked_workload(name, plain, WorkloadContext{parse_size(options.size), 1});
    EmulatedDevice device(load_kernels(*workload, plain), {.simt = gpu::simt_model(plain)});
    workload->run(device);
    std::vector<std::vector<std::uint64_t>> executed;
    for (std::uint32_t number = 0; number < device.kernels().size(); ++number) {
        std::vector<std::uint64_t>& warps = executed.emplace_back(device.kernels()[number].code.size(), 0);
        std::ranges::transform(device.executed(number), warps.begin(), &InstructionCount::warps);
    }
    Summary summary;
    const isa::KernelTable transformed = load_kernels(*workload, changed);
    for (std::size_t i = 0; i < transformed.size(); ++i) {
        if (transformed[i].refusal.empty()) { add(summary, device.kernels()[i], transformed[i], executed[i]); }
    }
    return summary;
}

void print_summary(const std::string& name, const Summary& summary) {
    say("{}: {} kernels, {} instructions, {} executed by warps; {:.1f} % of these leave the kernel's own stream\n",
        name, summary.kernels, summary.all.instructions, summary.all.warps,
        percentage(summary.gone.warps, summary.all.warps));
    for (std::size_t group = 0; group < summary.groups.size(); ++group) {
        std::vector<std::pair<std::string, Tally>> tags(summary.tags[group].begin(), summary.tags[group].end());
        std::ranges::stable_sort(tags, [](const auto& a, const auto& b) { return a.second.warps > b.second.warps; });
        std::string text;
        for (const auto& [tag, tally] : tags) {
            text += fmt::format("  {} {} ({:.1f} %)", tag, tally.instructions,
                                percentage(tally.warps, summary.groups[group].warps));
        }
        say("  {:10} {:6}{}\n", kGroupNames[group], summary.groups[group].instructions, text);
    }
}

Json as_json(const Tally& tally) {
    return Json::Object{{"instructions", tally.instructions}, {"warps", tally.warps}};
}

Json as_json(const std::string& name, const Summary& summary) {
    Json::Object groups;
    for (std::size_t group = 0; group < summary.groups.size(); ++group) {
        Json::Object tags;
        for (const auto& [tag, tally] : summary.tags[group]) { tags.emplace_back(tag, as_json(tally)); }
        groups.emplace_back(kGroupNames[group],
                            Json::Object{{"all", as_json(summary.groups[group])}, {"tags", std::move(tags)}});
    }
    return Json::Object{{"workload", name},
                        {"kernels", summary.kernels},
                        {"all", as_json(summary.all)},
                        {"gone", as_json(summary.gone)},
                        {"groups", std::move(groups)}};
}

ExitCode print_summaries(const ExplainOptions& options) {
    std::vector<std::string> names;
    if (options.source.empty()) {
        for (const ManifestEntry& entry : workload_manifest()) { names.emplace_back(entry.name); }
    } else {
        names.push_back(options.source);
    }
    Summary all;
    Json::Array rows;
    for (const std::string& name : names) {
        const Summary summary = summarise(options, name);
        all += summary;
        if (options.json) {
            rows.push_back(as_json(name, summary));
        } else {
            print_summary(name, summary);
        }
    }
    if (options.json) {
        say("{}\n", Json(rows).page());
    } else if (names.size() > 1) {
        print_summary("all", all);
    }
    return ExitCode::done;
}

/// The cubin in the file, or the one that ptxas makes of the file's or the workload's PTX.
native::Cubin cubin_of(const std::string& source, const Configuration& configuration) {
    if (const auto text = read_ptx(source)) {
        require_known_keys(configuration);
        const auto bytes = std::as_bytes(std::span(*text));
        return native::is_cubin(bytes) || source.ends_with(".cubin") ? native::read_cubin(bytes, source)
                                                                     : native_program({*text, source}, configuration);
    }
    const auto workload = checked_workload(source, configuration, WorkloadContext{});
    const ProgramCode code = ptx_of(*workload, configuration);
    return native_program(code, configuration);
}

/// The SM's orders in an instruction: "stall 4, yield, writes b0, reads b1, waits b0 b3, reuse 1".
std::string text_of(const isa::IssueControl& control) {
    std::string text = fmt::format("stall {}", control.stall);
    if (control.yields) { text += ", yield"; }
    if (control.write_barrier != isa::IssueControl::kNoBarrier) {
        text += fmt::format(", writes b{}", control.write_barrier);
    }
    if (control.read_barrier != isa::IssueControl::kNoBarrier) {
        text += fmt::format(", reads b{}", control.read_barrier);
    }
    for (unsigned barrier = 0; barrier < isa::IssueControl::kBarriers; ++barrier) {
        if ((control.waits >> barrier & 1) != 0) { text += fmt::format(", waits b{}", barrier); }
    }
    if (control.reuse != 0) { text += fmt::format(", reuse {:#x}", control.reuse); }
    return text;
}

void print_native(const native::Cubin& cubin, const native::CubinKernel& kernel) {
    say("// {}: sm_{}, {} registers, {} bytes of shared memory, {} of stack\n", kernel.name, cubin.architecture,
        kernel.registers, kernel.shared_bytes, kernel.stack_bytes);
    for (std::size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
        say("// parameter {}: {} bytes at c[0x0][{:#x}]\n", i, kernel.parameter_sizes[i],
            kernel.parameter_base + kernel.parameter_offsets[i]);
    }
    for (std::size_t i = 0; i < kernel.code.size(); ++i) {
        const std::uint64_t place = i * isa::kNativeInstructionBytes;
        const native::Instruction instruction = native::decode(kernel.code[i], cubin.architecture);
        say("{:#06x}  {:<60} // {}\n", place, native::text_of(instruction, place),
            text_of(native::control_of(kernel.code[i])));
    }
    say("\n");
}

ExitCode print_native_code(const ExplainOptions& options) {
    const Target target = target_of(options.source);
    const native::Cubin cubin = cubin_of(target.source, options.machine.configuration());
    bool found = false;
    for (const native::CubinKernel& kernel : cubin.kernels) {
        if (!target.kernel.empty() && kernel.name != target.kernel) { continue; }
        found = true;
        print_native(cubin, kernel);
    }
    if (!found) { throw InputError("{} has no kernel {}", target.source, target.kernel); }
    return ExitCode::done;
}

ExitCode explain(const ExplainOptions& options) {
    if (options.native) {
        if (options.source.empty()) { throw ConfigurationError("KERNEL is missing: give a workload, PTX or a cubin"); }
        if (!options.transform.empty() || options.summary || options.json) {
            throw ConfigurationError("--native takes neither --transform, --summary nor --json");
        }
        return print_native_code(options);
    }
    if (options.transform.empty()) {
        throw ConfigurationError("give --transform NAME, or --native for the instructions of native code");
    }
    if (options.summary) { return print_summaries(options); }
    if (options.source.empty()) {
        throw ConfigurationError("KERNEL is missing; only --summary may omit it, for all workloads");
    }
    if (options.json) { throw ConfigurationError("--json is for --summary"); }
    return print_kernels(options);
}

}  // namespace

void add_explain_command(Command program, Session& session) {
    Command command = program.add_command(
        "explain", "Show what a kernel transform does to each instruction, and why it leaves others.");
    auto options = std::make_shared<ExplainOptions>();
    command.add_option("--transform", options->transform, "Variants of kernel.transform, joined by '+'");
    command.add_flag(
        "--native", options->native,
        "Print native code instead: the instructions of a cubin, or of what ptxas makes of the PTX for the "
        "machine's architecture (isa.native)");
    command.add_option("KERNEL", options->source,
                       "A workload, a PTX file or a cubin, or one kernel of it: hotspot, file.ptx, file.ptx:kernel");
    command.add_flag(
        "--summary", options->summary,
        "Print counts instead, weighted by executions on the functional emulator, of one workload or of all");
    command.add_option("--size", options->size, "Size of the workloads that --summary runs").show_default();
    command.add_flag("--json", options->json, "Print the summary as one JSON array on stdout and nothing else");
    options->machine.add_to(command);
    session.on_first_rank(command, [options] { return explain(*options); });
}

}  // namespace lookahead::cli
