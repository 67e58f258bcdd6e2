// `run` and `resume`: simulate a workload, from its start or from a checkpoint, and write its result file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component/catalogue.h"
#include "core/json/json.h"
#include "core/text/read_number.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/all_gather.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/named_files.h"
#include "experiments/cli/session.h"
#include "experiments/run/available_cores.h"
#include "experiments/run/run.h"
#include "partitioning/partitioners/partition.h"

namespace lookahead::cli {

namespace {

std::string refuse_cycle(const std::string& text) {
    std::int64_t cycle = -1;
    return read_number(text, cycle) && cycle >= 0
               ? ""
               : fmt::format("'{}' is not a core cycle; give BEGIN,END, as in 0,20000", text);
}

constexpr int kMostThreads = 1024;
constexpr int kByCores = 0;
constexpr const char* kAutomatic = "auto";

std::string refuse_threads(const std::string& text) {
    int threads = 0;
    return text == kAutomatic || (read_number(text, threads) && threads >= 1 && threads <= kMostThreads)
               ? ""
               : fmt::format("'{}' is not a number of threads: give 1 to {}, or auto", text, kMostThreads);
}

/// Options of the execution, for new and resumed runs.
struct ExecutionOptions : RunExecution {
    std::string sync;
    std::optional<std::uint64_t> max_instructions;
    std::optional<std::uint64_t> max_cycles;
    std::string progress = "plain";
    std::string threads;
    bool json = false;

    void add_to(Command command) {
        command
            .add_option("--out", out,
                        "Result file, which replaces an earlier result [WORKLOAD.h5, or the first unused of "
                        "WORKLOAD-2.h5, WORKLOAD-3.h5 ..]")
            .not_empty();
        command.add_flag("--force", force,
                         "Also replace files of other kinds; without --out: write WORKLOAD.h5, even if it exists");
        command.add_option("--sync", sync,
                           fmt::format("Synchronisation, one of {} [serial; window on several ranks]",
                                       fmt::join(variant_names("sync"), ", ")));
        command
            .add_option("--partition", partition,
                        fmt::format("How logical processes are assigned to ranks: {}, or a file",
                                    fmt::join(variant_names("partition"), ", ")))
            .show_default();
        command.add_option("--weights", weights,
                           "Balance the partition by the costs in this earlier run's result file");
        command.add_option("--max-instructions", max_instructions,
                           "Stop at the first epoch with at least this many warp instructions; 0: no limit");
        command.add_option("--max-cycles", max_cycles,
                           "Stop at the first epoch after this many core cycles of simulated time; 0: no limit");
        command.add_option(
            "--checkpoint-every", checkpoint_every,
            "Write a checkpoint each time this many core cycles have passed, at the next epoch; 0: only when a signal "
            "stops the run. Every run stops on SIGTERM, SIGINT, SIGHUP or SIGUSR1, at its next epoch, or at once "
            "before the simulation begins (exit code 75); a second SIGTERM, SIGINT or SIGHUP ends it at once");
        command.add_option("--checkpoint-dir", checkpoint_folder, "Folder for WORKLOAD-RUN-CYCLE.checkpoint.h5")
            .show_default()
            .existing_folder();
        command.add_option("--checkpoint-keep", checkpoint_keep, "Keep only the last N checkpoints of this run; 0: all")
            .show_default();
        command.add_option("--progress", progress, "Progress on stderr: bar, plain or none").show_default();
        command.add_option("--trace", trace, "Write a Perfetto trace of the ranks and of some SMs to this file");
        command
            .add_option("--trace-of", trace_of,
                        "SMs and memory partitions whose warps, schedulers and queues the trace shows: sm0,sm1 ..")
            .split_at(',')
            .one_value_each()
            .show_default();
        command
            .add_option("--trace-cycles", trace_cycles,
                        "Start and end of the trace of SMs, in core cycles of simulated time [0,20000]")
            .check(refuse_cycle);
        command.add_option("--trace-events", trace_events, "Maximum number of events per SM in the trace")
            .show_default();
        command
            .add_option(
                "--threads", threads,
                "Threads per rank; the result does not depend on them. auto: one per core that the rank may "
                "use, divided among the ranks of its host that may use the same cores [auto; 1 on several ranks]")
            .from_environment("LOOKAHEAD_THREADS")
            .check(refuse_threads);
        command.add_flag("--log-windows", log_windows,
                         "Write the cost of every window into the result file, for `partition --predict`");
        command.add_flag("--json", json, "Print one JSON object on stdout and nothing else");
    }

    void apply_to(RunRequest& request, const Session& session) const {
        if (trace_cycles.first >= trace_cycles.second) {
            throw ConfigurationError("--trace-cycles {},{} has no cycles: give an END greater than BEGIN",
                                     trace_cycles.first, trace_cycles.second);
        }
        static_cast<RunExecution&>(request) = *this;
        request.sync = !sync.empty() ? sync : session.transport.size() > 1 ? "window" : "serial";
        request.max_instructions = max_instructions.value_or(request.max_instructions);
        request.max_cycles = max_cycles.value_or(request.max_cycles);
        request.progress = parse_progress(progress);
        request.keep_stdout = json;
        const std::string by_default = fmt::format("{}.h5", request.workload);
        if (out.empty() && !force) {
            request.free_out = [by_default] { return free_path(by_default); };
        }
        request.out = request.free_out ? request.free_out() : !out.empty() ? out : by_default;
        const bool is_given = !threads.empty();
        request.threads = is_given && threads != kAutomatic           ? std::stoi(threads)
                          : !is_given && session.transport.size() > 1 ? 1
                                                                      : kByCores;
        request.arguments = session.arguments;
    }
};

constexpr const char* kRunGuide =
    "Examples:\n"
    "  lookahead run sgemm                                  # a workload of 'lookahead list workloads'\n"
    "  lookahead run sgemm -m v100 -o sm.warp_scheduler=lrr # on another machine, with one key changed\n"
    "  lookahead run app.capture.h5                         # a CUDA program's capture ('lookahead capture'), checked "
    "copy by copy\n"
    "  lookahead run -m v100 -- ./app 1000                  # the program itself beside the simulation: it reads back\n"
    "                                                       # the machine's results, and its exit status is the "
    "check. On\n"
    "                                                       # one rank, without checkpoints.\n\n";

struct RunOptions {
    MachineOptions machine;
    WorkloadOptions workload;
    std::vector<std::string> program_arguments;
    ExecutionOptions execution;

    void add_to(Command command) {
        workload.add_to(command);
        command.add_option("ARGUMENTS", program_arguments, "A CUDA program instead of WORKLOAD, after --");
        machine.add_to(command);
        machine.add_code_to(command);
        execution.add_to(command);
    }

    RunRequest request(const Session& session) const {
        RunRequest request;
        if (std::ranges::find(session.arguments, kProgramFollows) != session.arguments.end()) {
            request.command = {workload.workload};
            request.command.insert(request.command.end(), program_arguments.begin(), program_arguments.end());
            return live_request(std::move(request), session);
        }
        if (!program_arguments.empty()) {
            throw ConfigurationError(
                "'{}' after the workload {} has no meaning: --set sets its parameters, and a CUDA program and its "
                "arguments follow --",
                program_arguments.front(), workload.workload);
        }
        request.workload = workload.workload;
        request.size = workload.size;
        request.context = workload.context();
        request.machine = machine.machine;
        request.configuration = machine.configuration();
        workload.apply_to(request.configuration);
        execution.apply_to(request, session);
        return request;
    }

  private:
    static constexpr std::string_view kProgramFollows = "--";

    RunRequest live_request(RunRequest request, const Session& session) const {
        const std::filesystem::path program = request.command.front();
        if (!workload.settings.empty()) {
            throw ConfigurationError("--set is for a workload's parameters; the arguments of {} follow it",
                                     program.string());
        }
        request.workload = program.filename();
        request.machine = machine.machine;
        request.configuration = machine.configuration();
        execution.apply_to(request, session);
        return request;
    }
};

struct ResumeOptions {
    std::string file;
    ExecutionOptions execution;

    void add_to(Command command) {
        command.add_option("CHECKPOINT", file, "Checkpoint of a run: WORKLOAD-RUN-CYCLE.checkpoint.h5").required();
        execution.add_to(command);
    }

    RunRequest request(const Session& session) const {
        const auto from = std::make_shared<const CheckpointFile>(file);
        const Checkpoint& checkpoint = from->checkpoint();
        RunRequest request;
        request.workload = checkpoint.workload;
        request.size = checkpoint.size;
        request.context = {parse_size(checkpoint.size), static_cast<std::uint32_t>(checkpoint.seed)};
        request.machine = checkpoint.machine;
        request.configuration = checkpoint.configuration;
        request.max_cycles = checkpoint.max_cycles;
        request.max_instructions = checkpoint.max_instructions;
        request.from = from;
        execution.apply_to(request, session);
        return request;
    }
};

std::uint64_t threads_of(const RunRecord& record) {
    return record.engine.empty() ? 1 : record.engine.front().threads;
}

/// The summary for scripts; it has `checkpoint` if one was written.
Json summary(const RunOutcome& outcome) {
    const RunRecord& record = outcome.record;
    Json::Object json{{"workload", record.workload},
                      {"machine", record.machine},
                      {"status", record.status},
                      {"outputs", record.outputs},
                      {"cycles", record.cycles},
                      {"warp_instructions", record.warp_instructions},
                      {"thread_instructions", record.thread_instructions},
                      {"ipc", record.ipc()},
                      {"thread_ipc", record.thread_ipc()},
                      {"kernels", record.kernels.size()},
                      {"energy_j", record.energy.total_j},
                      {"ranks", record.meta.ranks},
                      {"threads", threads_of(record)},
                      {"sync", record.meta.sync},
                      {"wall_s", record.meta.wall_s},
                      {"warp_instructions_per_s", record.meta.warp_instructions_per_s},
                      {"peak_rss_bytes", record.meta.peak_rss_bytes},
                      {"state_hash", hash_text(record.state_hash)},
                      {"out", !outcome.result.empty() ? Json(outcome.result) : Json(nullptr)}};
    if (!outcome.checkpoint.empty()) { json.emplace_back("checkpoint", outcome.checkpoint); }
    return json;
}

void print_summary(const RunOutcome& outcome, bool replaced) {
    const RunRecord& record = outcome.record;
    say("{} on {}: {}, outputs {} ({})\n", record.workload, record.machine, record.status, record.outputs,
        record.message);
    say("  {} cycles, {} warp instructions, IPC {:.3f} ({:.2f} of threads), {} kernel launches\n", record.cycles,
        record.warp_instructions, record.ipc(), record.thread_ipc(), record.kernels.size());
    const std::uint64_t threads = threads_of(record);
    say("  {:.3f} s on {} rank{} ({}, {} thread{}), {:.3f} M warp instructions/s, {:.0f} MB\n", record.meta.wall_s,
        record.meta.ranks, record.meta.ranks == 1 ? "" : "s", record.meta.sync, threads, threads == 1 ? "" : "s",
        record.meta.warp_instructions_per_s / 1e6, static_cast<double>(record.meta.peak_rss_bytes) / 1e6);
    say("  {:.4g} J while kernels ran, {:.1f} W: {:.4g} J dynamic, {:.4g} J static\n", record.energy.total_j,
        record.energy.average_w, record.energy.dynamic_j, record.energy.static_j);
    say("  state hash {}\n", hash_text(record.state_hash));
    if (!outcome.result.empty()) {
        say("  result: {}{}\n", outcome.result, replaced ? ", replacing an earlier file" : "");
    }
}

/// Warns if the rank has fewer cores than threads: launchers bind ranks to cores (Open MPI to one each for up to two
/// ranks), and more threads only take turns.
void warn_of_binding(int threads, const Session& session) {
    Transport& transport = session.transport;
    if (transport.size() == 1) { return; }
    const auto cores = all_gather(transport, static_cast<std::uint64_t>(available_cores()));
    const auto least = std::ranges::min_element(cores);
    if (session.prints() && *least < static_cast<std::uint64_t>(threads)) {
        std::fprintf(
            stderr,
            "lookahead: warning: rank %td may run on %llu core%s and has %d threads: give mpirun --bind-to none, or "
            "--map-by slot:PE=%d where there are that many cores\n",
            least - cores.begin(), static_cast<unsigned long long>(*least), *least == 1 ? "" : "s", threads, threads);
    }
}

/// One thread for each of this rank's cores. Every rank calls it.
int threads_by_cores(Transport& transport) {
    const CoresOfProcess mine = cores_of_process();
    return std::min(share_of_cores(mine, all_gather(transport, mine)), kMostThreads);
}

ExitCode simulate(RunRequest request, bool json, const Session& session) {
    if (request.threads == kByCores) { request.threads = threads_by_cores(session.transport); }
    warn_of_binding(request.threads, session);
    std::error_code unknown;
    const bool replaces = std::filesystem::exists(request.out, unknown);
    const RunOutcome outcome = run(request, session.transport);
    if (!session.prints()) { return outcome.code; }
    if (json) {
        say("{}\n", summary(outcome).page());
    } else if (outcome.has_result) {
        print_summary(outcome, replaces && outcome.result == request.out);
    }
    if (outcome.code != ExitCode::done) { std::fprintf(stderr, "lookahead: %s\n", outcome.message.c_str()); }
    return outcome.code;
}

template <class Options>
void prepare(Command command, Session& session) {
    auto options = std::make_shared<Options>();
    options->add_to(command);
    session.on(command, [&session, options] {
        const RunRequest request = on_every_rank(session.transport, [&] { return options->request(session); });
        return simulate(request, options->execution.json, session);
    });
}

/// Reads the command line into `options` and makes the request.
template <class Options>
RunRequest request_of_line(const std::vector<std::string>& arguments, Transport& transport) {
    CommandLine line("lookahead", "", "", "");
    Options options;
    options.add_to(line.program().add_command(arguments.front(), ""));
    std::vector<std::string> texts{"lookahead"};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    line.read(texts);
    return options.request(Session{transport, texts});
}

}  // namespace

RunRequest read_run_request(const std::vector<std::string>& arguments, Transport& transport) {
    return arguments.front() == "resume" ? request_of_line<ResumeOptions>(arguments, transport)
                                         : request_of_line<RunOptions>(arguments, transport);
}

void add_run_command(Command program, Session& session) {
    Command command = program.add_command(
        "run", "Simulate a workload, check its outputs, and write one HDF5 file. Under mpirun -n N it uses N ranks.");
    command.prepend_footer(kRunGuide);
    prepare<RunOptions>(command, session);
}

void add_resume_command(Command program, Session& session) {
    Command command = program.add_command("resume",
                                          "Continue a run from one of its checkpoints, on any number of ranks: "
                                          "the result equals that of an uninterrupted run.");
    prepare<ResumeOptions>(command, session);
}

}  // namespace lookahead::cli
