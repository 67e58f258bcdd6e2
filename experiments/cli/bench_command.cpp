// `bench`: the engine's own benchmarks.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "core/component/catalogue.h"
#include "core/json/json.h"
#include "core/phold/phold.h"
#include "core/phold/window_benchmark.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"
#include "experiments/results/run_record.h"

namespace lookahead::cli {

namespace {

struct BenchOptions {
    PholdOptions phold;
    std::uint64_t windows = 1'000'000;
    std::string sync;
    bool json = false;

    std::string protocol(const Session& session) const {
        return !sync.empty() ? sync : session.transport.size() > 1 ? "window" : "serial";
    }
    void add_common(Command command) {
        command.add_option(
            "--sync", sync,
            fmt::format("One of {} [serial; window on several ranks]", fmt::join(variant_names("sync"), ", ")));
        command.add_flag("--json", json, "Print one JSON object on stdout and nothing else");
    }
};

void print(const Json::Object& object, bool json) {
    if (json) {
        say("{}\n", Json(object).page());
        return;
    }
    for (const auto& [key, value] : object) { say("{:16} {}\n", key, value.plain()); }
}

ExitCode phold(const BenchOptions& options, const Session& session) {
    const std::string sync = options.protocol(session);
    const PholdResult result = run_phold(options.phold, session.transport, sync);
    if (session.prints()) {
        print({{"benchmark", "phold"},
               {"ranks", session.transport.size()},
               {"sync", sync},
               {"lps", options.phold.lps},
               {"remote", options.phold.remote},
               {"payload", options.phold.payload},
               {"events", result.events},
               {"wall_s", result.seconds},
               {"events_per_s", result.events_per_second},
               {"state_hash", hash_text(result.state_hash)}},
              options.json);
    }
    return ExitCode::done;
}

ExitCode window(const BenchOptions& options, const Session& session) {
    const std::string sync = options.protocol(session);
    const WindowBenchmarkResult result = benchmark_windows(options.windows, session.transport, sync);
    if (session.prints()) {
        print({{"benchmark", "window"},
               {"ranks", session.transport.size()},
               {"sync", sync},
               {"windows", result.windows},
               {"window_us", result.microseconds_per_window}},
              options.json);
    }
    return ExitCode::done;
}

/// Runs the same PHOLD under every protocol that supports this number of ranks.
ExitCode ranks(const BenchOptions& options, const Session& session) {
    Json::Object object{{"benchmark", "ranks"}, {"ranks", session.transport.size()}};
    for (const std::string& sync : variant_names("sync")) {
        if (session.transport.size() > 1 && sync == "serial") { continue; }
        const PholdResult result = run_phold(options.phold, session.transport, sync);
        double compute = 0, blocked = 0;
        for (const EngineStatistics& rank : result.per_rank) {
            compute += rank.compute_seconds;
            blocked += rank.blocked_seconds;
        }
        const Json::Object figures{{"events_per_s", result.events_per_second},
                                   {"blocked_share", blocked / std::max(compute + blocked, 1e-9)},
                                   {"state_hash", hash_text(result.state_hash)}};
        object.emplace_back(sync, figures);
    }
    if (session.prints()) { print(object, options.json); }
    return ExitCode::done;
}

void add_phold_options(Command command, PholdOptions& phold) {
    command.add_option("--lps", phold.lps, "Logical processes").show_default();
    command.add_option("--events", phold.events, "Events of each logical process").show_default();
    command.add_option("--remote", phold.remote, "Probability that an event goes to another process").show_default();
    command.add_option("--lookahead", phold.lookahead, "Least delay, in units of the mean of the random part")
        .show_default();
    command
        .add_option("--kinds", phold.kinds, "Kinds of processes; processes of kind k have 4 k + 1 times the lookahead")
        .in_range(1u, 7u)
        .show_default();
    command.add_option("--payload", phold.payload, "Bytes per event").show_default();
    command.add_option("--duration", phold.duration, "Simulated time, in units of the mean delay").show_default();
    command.add_option("--queue", phold.queue, "Queue of a process's own events: wheel or heap").show_default();
    command.add_option("--seed", phold.seed, "Seed").show_default();
}

}  // namespace

void add_bench_command(Command program, Session& session) {
    Command command = program.add_command("bench", "Measure the simulation engine itself.");
    command.require_command();
    auto options = std::make_shared<BenchOptions>();
    const auto add = [&](const char* name, const char* help, auto action) {
        Command each = command.add_command(name, help);
        options->add_common(each);
        session.on(each, [&session, options, action] { return action(*options, session); });
        return each;
    };
    add_phold_options(add("phold", "Events per second of the PHOLD model.", phold), options->phold);
    add("window", "Cost of an empty window.", window)
        .add_option("--windows", options->windows, "Number of windows")
        .check([](const std::string& text) {
            const bool is_count = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
            return is_count && text != "0" ? "" : fmt::format("'{}' is not a number of windows: give 1 or more", text);
        })
        .show_default();
    add_phold_options(
        add("ranks", "PHOLD under every protocol, with the share of time that ranks spend waiting.", ranks),
        options->phold);
}

}  // namespace lookahead::cli
