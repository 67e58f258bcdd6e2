// `annotate`: what each instruction or line of a run's kernels cost.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>

#include "core/json/json.h"
#include "core/param/suggestion.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/percentage.h"
#include "experiments/cli/session.h"
#include "experiments/results/instruction_counts.h"

namespace lookahead::cli {

namespace {

struct AnnotateOptions {
    std::string file;
    std::string kernel;
    std::string by = "instruction";
    unsigned top = 20;
    bool all = false;
    bool json = false;
};

CostPlace place_of(const AnnotateOptions& options) {
    return options.by == "instruction" ? CostPlace::instruction
           : options.by == "ptx"       ? CostPlace::ptx
                                       : CostPlace::cuda;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Lines of CUDA source, of the files that can be read here.
class CudaFiles {
  public:
    /// The text of FILE:LINE; empty if there is none.
    std::string text(const std::string& place) {
        const std::size_t colon = place.rfind(':');
        if (colon == std::string::npos) { return {}; }
        const std::vector<std::string>& lines = lines_of(place.substr(0, colon));
        const std::size_t line = std::stoul(place.substr(colon + 1));
        return line - 1 < lines.size() ? lines[line - 1] : "";
    }

  private:
    const std::vector<std::string>& lines_of(const std::string& file) {
        const auto [found, is_new] = files_.try_emplace(file);
        std::ifstream in;
        if (is_new) { in.open(file); }
        for (std::string line; std::getline(in, line);) {
            found->second.push_back(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
        }
        return found->second;
    }

    std::map<std::string, std::vector<std::string>> files_;
};

/// The kernels that the options name. InputError if there is none.
std::vector<std::string> chosen_kernels(const AnnotateOptions& options, const InstructionCosts& costs) {
    const std::vector<std::string> all = costs.kernels();
    if (options.kernel.empty()) { return all; }
    if (std::ranges::find(all, options.kernel) == all.end()) {
        throw InputError("{} has no kernel {}{}", options.file, options.kernel, did_you_mean(options.kernel, all));
    }
    return {options.kernel};
}

/// A kernel's rows: all, in the order of the code, or the costliest.
std::vector<const InstructionCost*> chosen_rows(const AnnotateOptions& options, const InstructionCosts& costs,
                                                const std::string& kernel) {
    std::vector<const InstructionCost*> rows;
    for (const InstructionCost& row : costs.rows()) {
        if (row.kernel == kernel) { rows.push_back(&row); }
    }
    if (options.all) { return rows; }
    std::ranges::stable_sort(rows, std::greater<>(),
                             [&](const InstructionCost* row) { return costs.warp_cycles(*row); });
    rows.resize(std::min<std::size_t>(rows.size(), options.top));
    std::erase_if(rows, [&](const InstructionCost* row) { return costs.warp_cycles(*row) == 0; });
    return rows;
}

/// "waits for memory 61 %, pipeline 12 %": the three largest.
std::string largest_waits(const InstructionCosts& costs, const InstructionCost& row) {
    std::vector<std::pair<std::uint64_t, std::string>> waits;
    InstructionCost left = row;
    const std::uint64_t whole = costs.warp_cycles(row);
    std::string text;
    for (int i = 0; i < 3; ++i) {
        const std::string wait(costs.main_wait(left));
        if (wait.empty()) { break; }
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", wait, percentage(costs.count(left, wait), whole));
        const auto& counters = costs.counters();
        const auto found = std::ranges::find(counters, wait, &InstructionCounts::Counter::name);
        left.counts[static_cast<std::size_t>(found - counters.begin())] = 0;
    }
    return text;
}

std::string cell(std::uint64_t whole, const std::string& text) {
    return whole == 0 ? "" : text;
}

void print_row(const InstructionCosts& costs, const InstructionCost& row, const InstructionCost& kernel,
               std::size_t place_width, const std::string& text) {
    const auto of = [&](std::string_view counter) { return costs.count(row, counter); };
    const std::string wait(costs.main_wait(row));
    const std::uint64_t cycles = costs.warp_cycles(row);
    const std::uint64_t issued = of("issued");
    const std::uint64_t looked_up = of("l1_hits") + of("l1_merges") + of("l1_misses");
    const std::uint64_t ends = costs.count(kernel, "memory") + costs.count(kernel, "pipeline");
    say("  {:5.1f} {:>16} {:6.1f} {:10} {:>5} {:>5} {:>6} {:>7}  {:<{}}  {}\n",
        percentage(cycles, costs.warp_cycles(kernel)),
        wait.empty() ? "" : fmt::format("{} {:.0f} %", wait, percentage(of(wait), cycles)),
        percentage(of("waited_for"), ends), issued, cell(issued, fmt::format("{:.1f}", ratio(of("lanes"), issued))),
        cell(of("lines"), fmt::format("{:.1f}", ratio(of("lines"), issued))),
        cell(looked_up, fmt::format("{:.0f} %", percentage(of("l1_hits"), looked_up))),
        cell(of("loads"), fmt::format("{:.0f}", ratio(of("load_cycles"), of("loads")))), row.place, place_width, text);
}

void print_kernel(const AnnotateOptions& options, const InstructionCosts& costs, const std::string& kernel,
                  CudaFiles& files) {
    const InstructionCost total = costs.total(kernel);
    const auto rows = chosen_rows(options, costs, kernel);
    say("{}: {} instructions issued; of the warps' {} cycles {}\n", kernel, costs.count(total, "issued"),
        costs.warp_cycles(total), largest_waits(costs, total));
    std::size_t width = options.by.size();
    for (const InstructionCost* row : rows) { width = std::max(width, row->place.size()); }
    say("  {:>5} {:>16} {:>6} {:>10} {:>5} {:>5} {:>6} {:>7}  {:<{}}\n", "share", "most of it", "ends", "issued",
        "lanes", "lines", "hits", "latency", options.by == "instruction" ? "pc" : options.by, width);
    for (const InstructionCost* row : rows) {
        print_row(costs, *row, total, width, options.by == "cuda" ? files.text(row->place) : row->text);
    }
}

Json as_json(const InstructionCosts& costs, const InstructionCost& row, const std::string& text) {
    Json::Object counts;
    for (const InstructionCounts::Counter& counter : costs.counters()) {
        counts.emplace_back(counter.name, costs.count(row, counter.name));
    }
    return Json(Json::Object{{"kernel", row.kernel}, {"place", row.place}, {"text", text}, {"counts", counts}});
}

ExitCode annotate(const AnnotateOptions& options) {
    const InstructionCounts counts = read_instruction_counts(options.file);
    if (options.by == "cuda" && std::ranges::all_of(counts.rows, [](const auto& row) { return row.cuda_line == 0; })) {
        throw InputError(
            "{} names no lines of CUDA source: compile the program with nvcc -lineinfo; --by ptx has the lines of its "
            "PTX",
            options.file);
    }
    if (options.by == "ptx" && std::ranges::all_of(counts.rows, [](const auto& row) { return row.line == 0; })) {
        throw InputError("{} names no lines of PTX, as it ran native code; leave out --by", options.file);
    }
    const InstructionCosts costs(counts, place_of(options));
    CudaFiles files;
    Json::Array all;
    for (const std::string& kernel : chosen_kernels(options, costs)) {
        if (!options.json) {
            print_kernel(options, costs, kernel, files);
            continue;
        }
        for (const InstructionCost* row : chosen_rows(options, costs, kernel)) {
            all.push_back(as_json(costs, *row, options.by == "cuda" ? files.text(row->place) : row->text));
        }
    }
    if (options.json) { say("{}\n", Json(all).page()); }
    return ExitCode::done;
}

}  // namespace

void add_annotate_command(Command program, Session& session) {
    Command command = program.add_command(
        "annotate",
        "Show what each instruction or line of a run's kernels cost: its share of the warps' cycles in percent; what "
        "most of these waited for; the percentage of the kernel's waits for memory and pipelines that its results "
        "ended (ends); how often it was issued, and with how many lanes and lines of L1 on average; hits of its loads "
        "in L1; and their latency in cycles.");
    auto options = std::make_shared<AnnotateOptions>();
    command.add_option("FILE", options->file, "A run's result").required();
    command.add_option("--kernel", options->kernel, "Only this kernel");
    command
        .add_option("--by", options->by, "instruction, ptx or cuda: the rows are machine instructions or source lines")
        .one_of({"instruction", "ptx", "cuda"})
        .show_default();
    command.add_option("--top", options->top, "Rows of a kernel, the costliest first")
        .in_range(1u, 1'000'000u)
        .show_default();
    command.add_flag("--all", options->all, "All rows, in the order of the code");
    command.add_flag("--json", options->json, "Print the rows with all counts as one JSON array and nothing else");
    session.on_first_rank(command, [options] { return annotate(*options); });
}

}  // namespace lookahead::cli
