// `profile patterns`: the purposes of executed instructions, and the patterns of successive addresses.
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "components/emulator/emulated_device.h"
#include "components/sm/simt/simt_model.h"
#include "core/json/json.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/percentage.h"
#include "experiments/cli/session.h"
#include "experiments/profile/access_patterns.h"
#include "experiments/run/program.h"

namespace lookahead::cli {
namespace {

using profile::kPatterns;
using profile::kRoles;

struct PatternsOptions {
    MachineOptions machine;
    WorkloadOptions workload;
    profile::PatternOptions patterns;
    bool accesses = false;
    bool json = false;
};

/// The most strides printed.
constexpr std::size_t kStridesPrinted = 8;

template <std::size_t kSize>
std::uint64_t total(const std::array<std::uint64_t, kSize>& counts) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) { sum += count; }
    return sum;
}

void print_patterns(const char* space, const std::array<std::uint64_t, kPatterns>& counts) {
    say("  {:8} {:12}", space, total(counts));
    for (const std::uint64_t count : counts) { say(" {:17.1f}%", percentage(count, total(counts))); }
    say("\n");
}

void print_strides(const std::map<std::int64_t, std::uint64_t>& strides) {
    std::vector<std::pair<std::int64_t, std::uint64_t>> by_steps(strides.begin(), strides.end());
    std::ranges::stable_sort(by_steps, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::uint64_t steps = 0;
    for (const auto& [stride, times] : by_steps) { steps += times; }
    say("  strides (bytes: share of the strided steps):");
    for (std::size_t i = 0; i < std::min(by_steps.size(), kStridesPrinted); ++i) {
        say(" {}: {:.1f}%", by_steps[i].first, percentage(by_steps[i].second, steps));
    }
    if (by_steps.size() > kStridesPrinted) { say(", and {} more", by_steps.size() - kStridesPrinted); }
    say("{}\n", by_steps.empty() ? " none" : "");
}

void print_sums(const std::string& name, const profile::PatternSums& sums) {
    say("{}: {} warp instructions\n", name, sums.instructions());
    for (std::size_t role = 0; role < kRoles; ++role) {
        say("  {:18} {:12} {:6.1f}%\n", name_of(static_cast<profile::Role>(role)), sums.by_role[role],
            percentage(sums.by_role[role], sums.instructions()));
    }
    say("  {:8} {:>12}", "space", "executed");
    for (std::size_t pattern = 0; pattern < kPatterns; ++pattern) {
        say(" {:>18}", name_of(static_cast<profile::Pattern>(pattern)));
    }
    say("\n");
    print_patterns("global", sums.global);
    print_patterns("shared", sums.shared);
    print_strides(sums.strides);
}

void print_accesses(const profile::KernelReport& kernel) {
    for (const profile::AccessReport& access : kernel.accesses) {
        const std::string_view reason = sentence_of(access.verdict.reason);
        say("  line {:6}  PC {:5}  {:5} {:6} {:12}  {}{}{}\n", access.line, access.instruction,
            access.stores ? "store" : "load", access.shared ? "shared" : "global", access.executed.warps,
            name_of(access.verdict.pattern), reason.empty() ? "" : ": ", reason);
    }
}

Json::Array as_json(const std::map<std::int64_t, std::uint64_t>& strides) {
    Json::Array array;
    for (const auto& [stride, steps] : strides) { array.push_back(Json::Object{{"bytes", stride}, {"steps", steps}}); }
    return array;
}

Json::Object as_json(const profile::PatternSums& sums) {
    return {{"warp_instructions", sums.instructions()},
            {"instructions", counts_as_json<profile::Role>(sums.by_role)},
            {"global", counts_as_json<profile::Pattern>(sums.global)},
            {"shared", counts_as_json<profile::Pattern>(sums.shared)},
            {"strides", as_json(sums.strides)}};
}

Json::Object as_json(const profile::KernelReport& kernel) {
    Json::Array accesses;
    for (const profile::AccessReport& access : kernel.accesses) {
        accesses.push_back(Json::Object{{"line", access.line},
                                        {"instruction", access.instruction},
                                        {"kind", access.stores ? "store" : "load"},
                                        {"space", access.shared ? "shared" : "global"},
                                        {"pattern", std::string(name_of(access.verdict.pattern))},
                                        {"reason", std::string(sentence_of(access.verdict.reason))},
                                        {"warps", access.executed.warps},
                                        {"threads", access.executed.threads},
                                        {"mean_distance", access.distance},
                                        {"strides", as_json(access.strides)}});
    }
    Json::Object object = as_json(profile::sum_of({&kernel, 1}));
    object.emplace_back("kernel", kernel.kernel);
    object.emplace_back("launches", kernel.launches);
    object.emplace_back("accesses", accesses);
    return object;
}

void print(const PatternsOptions& options, const std::vector<profile::KernelReport>& kernels) {
    const profile::PatternSums sums = profile::sum_of(kernels);
    if (options.json) {
        Json::Array each;
        for (const profile::KernelReport& kernel : kernels) { each.push_back(as_json(kernel)); }
        Json::Object object = as_json(sums);
        object.emplace_back("workload", options.workload.workload);
        object.emplace_back("kernels", each);
        say("{}\n", Json(object).page());
        return;
    }
    print_sums(options.workload.workload, sums);
    for (const profile::KernelReport& kernel : kernels) {
        if (kernels.size() > 1) { print_sums(fmt::format("kernel {}", kernel.kernel), profile::sum_of({&kernel, 1})); }
        if (!options.accesses) { continue; }
        say("{}\n", kernel.kernel);
        print_accesses(kernel);
    }
}

ExitCode profile_patterns(const PatternsOptions& options) {
    Configuration configuration = options.machine.configuration();
    options.workload.apply_to(configuration);
    const auto workload = checked_workload(options.workload.workload, configuration, options.workload.context());
    isa::KernelTable kernels = load_kernels(*workload, configuration);
    profile::AddressStreams streams(kernels);
    EmulatedDevice device(std::move(kernels), {.instructions = &streams, .simt = gpu::simt_model(configuration)});
    workload->run(device);
    if (const CheckReport check = workload->check(); check.outputs == Outputs::mismatch) {
        throw ProgramError("{}: wrong output: {}", options.workload.workload, check.message);
    }
    print(options, report_patterns(device, streams, options.patterns));
    return ExitCode::done;
}

}  // namespace

void add_profile_patterns(Command profile, Session& session) {
    Command patterns = profile.add_command(
        "patterns",
        "Find the address pattern of each load and store in innermost loops, and the roles of instructions; on the "
        "functional emulator.");
    auto options = std::make_shared<PatternsOptions>();
    options->workload.add_to(patterns);
    options->machine.add_to(patterns);
    patterns
        .add_option("--farthest", options->patterns.farthest,
                    "Maximum average number of the warp's instructions between two accesses of a pattern")
        .show_default();
    patterns.add_flag("--accesses", options->accesses, "Also print each load and store");
    patterns.add_flag("--json", options->json, "Print one JSON object on stdout and nothing else");
    session.on_first_rank(patterns, [options] { return profile_patterns(*options); });
}

}  // namespace lookahead::cli
