// `sweep`: design-space studies.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "core/text/read_number.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/all_gather.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"
#include "experiments/run/available_cores.h"
#include "experiments/run/stop_signal.h"
#include "experiments/sweep/ensemble.h"
#include "experiments/sweep/index.h"
#include "experiments/sweep/plan.h"
#include "experiments/sweep/point_server.h"
#include "experiments/sweep/study.h"
#include "experiments/sweep/submit.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead::cli {

namespace {

struct SweepOptions {
    std::string study;
    std::string out;
    SweepRunOptions run;
    std::string shard = "0/1";
    std::string progress = "plain";
    std::optional<int> jobs;
    std::uint64_t memory_mb = 0;
    bool no_wait = false;
    std::string ranks_per_point;
    bool csv = false;
    SlurmJob job;
    bool is_only_written = false;

    std::string folder(const Study& study_read) const {
        if (!out.empty()) { return out; }
        std::string name = study_read.name;
        std::replace(name.begin(), name.end(), '/', '-');
        return fmt::format("{}.sweep", name);
    }
};

void print_point(const Study& study, const SweepPoint& point) {
    say("{}  {:16}", point.key, point.workload);
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        say("  {}={}", study.axes[axis].name, point.labels[axis]);
    }
    say("\n");
}

ExitCode plan(const SweepOptions& options, Session&) {
    const Study study = load_study(options.study);
    const std::vector<SweepPoint> points = plan_sweep(study);
    say("{}: {}\n{} points of size {}\n", study.name, study.title, points.size(), study.size);
    for (const SweepPoint& point : points) { print_point(study, point); }
    return ExitCode::done;
}

void read_shard(const std::string& text, SweepRunOptions& run) {
    int used = 0;
    if (std::sscanf(text.c_str(), "%d/%d%n", &run.shard, &run.shards, &used) != 2 ||
        static_cast<std::size_t>(used) != text.size() || run.shards < 1 || run.shard < 0 || run.shard >= run.shards) {
        throw ConfigurationError("--shard {} is not I/N with 0 <= I < N, as in 0/4", text);
    }
}

/// The points, from the folder if it has those of this study and program.
std::vector<SweepPoint> points_of(const Study& study, const SweepFolder& folder) {
    auto recorded = folder.recorded_plan(study);
    return recorded ? *std::move(recorded) : plan_sweep(study);
}

std::vector<SweepPoint> prepare(const Study& study, const SweepFolder& folder) {
    std::vector<SweepPoint> points = points_of(study, folder);
    folder.create(study, points);
    folder.record_plan(study, points);
    return points;
}

SweepRunOptions run_options(const SweepOptions& options) {
    constexpr std::uint64_t kMegabyte = 1'000'000;
    SweepRunOptions run = options.run;
    read_shard(options.shard, run);
    run.progress = parse_progress(options.progress);
    run.waits = !options.no_wait;
    run.memory_bytes = options.memory_mb * kMegabyte;
    return run;
}

/// If all points have failed, the sweep ends with the error of the first one. A point ended for its time or by a signal
/// counts as misbehaving.
[[noreturn]] void throw_first_failure(std::span<const SweepPoint> points, const SweepFolder& folder) {
    constexpr std::array kOthers{ExitCode::usage, ExitCode::bad_input, ExitCode::internal};
    for (const SweepPoint& point : points) {
        const PointState state = folder.state(point);
        if (state.status == PointStatus::failed) {
            const auto code = static_cast<ExitCode>(state.exit_code);
            throw Error(
                std::ranges::find(kOthers, code) == kOthers.end() ? ExitCode::program_misbehaved : code,
                fmt::format(
                    "no point has a result; the first, of {}, failed: {}; lookahead sweep status shows the others",
                    point.workload, state.message));
        }
    }
    throw InternalError("points failed, and the sweep's folder has no record of them");
}

ExitCode conclude(const SweepRunResult& result, const SweepRunOptions& run, const Study& study,
                  std::span<const SweepPoint> points, const SweepFolder& folder) {
    if (result.interrupted) {
        std::fprintf(stderr, "lookahead: interrupted after %zu points; the same command continues\n", result.executed);
        return ExitCode::stopped_at_checkpoint;
    }
    if (run.shards == 1) { write_index(study, points, folder); }
    say("{} points, {} complete, {} failed, {} run now\n", points.size(), result.complete, result.failed,
        result.executed);
    if (result.elsewhere > 0) { say("other programs are running {} points\n", result.elsewhere); }
    if (result.executed > 0 && result.all_s > 0) {  // under mpirun
        say("the ranks spent {:.1f} % of {:.1f} s on points\n", 100 * result.points_s / result.all_s, result.all_s);
    }
    say("{}\n", run.shards == 1 ? folder.index_file().c_str() : "run `lookahead sweep collect` after all shards");
    if (result.failed > 0 && result.complete == 0 && result.elsewhere == 0) { throw_first_failure(points, folder); }
    return ExitCode::done;
}

ExitCode run(const SweepOptions& options, Session& session) {
    if (!options.ranks_per_point.empty()) {
        throw ConfigurationError(
            "--ranks-per-point is for sweeps under mpirun; without mpirun --jobs sets how many points "
            "run at once");
    }
    const SweepRunOptions run = run_options(options);
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    const std::vector<SweepPoint> points = prepare(study, folder);
    const EnsemblePlan plan = plan_alone(points, folder, run);
    const int jobs = options.jobs.value_or(available_cores());  // each point has one thread
    std::vector<std::unique_ptr<PointServer>> servers;
    std::vector<PointServer*> pointers;
    for (std::size_t i = 0; i < std::min(plan.work.size(), static_cast<std::size_t>(jobs)); ++i) {
        pointers.push_back(servers.emplace_back(std::make_unique<PointServer>(session.run_line)).get());
    }
    StopSignal::note_from_now();
    return conclude(run_ensemble(plan, folder, run, session.transport, pointers, read_run_request), run, study, points,
                    folder);
}

/// 0 for auto.
int read_ranks_per_point(const std::string& text, int ranks) {
    if (text == "auto") { return 0; }
    int number = text.empty() ? 1 : 0;
    if ((!text.empty() && !read_number(text, number)) || number < 1 || number > ranks) {
        throw ConfigurationError("--ranks-per-point {} is neither auto nor a number from 1 to mpirun's {}", text,
                                 ranks);
    }
    return number;
}

ExitCode run_on_ranks(const SweepOptions& options, Session& session) {
    Transport& world = session.transport;
    SweepRunOptions run;
    int ranks_per_point = 1;
    Study study;
    on_every_rank(world, [&] {
        if (options.jobs) {
            throw ConfigurationError(
                "--jobs is for sweeps without mpirun; under mpirun each group of ranks runs a point");
        }
        run = run_options(options);
        ranks_per_point = read_ranks_per_point(options.ranks_per_point, world.size());
        study = load_study(options.study);
    });
    const SweepFolder folder(options.folder(study));
    std::vector<SweepPoint> points;
    on_every_rank(world, [&] {
        if (world.rank() == 0) { points = prepare(study, folder); }
    });
    const EnsemblePlan plan = plan_ensemble(study, points, folder, run, ranks_per_point, world, read_run_request);
    const SweepRunResult result =
        run_ensemble(plan, folder, run, world, std::array{session.point_server}, read_run_request);
    auto code = static_cast<std::uint64_t>(ExitCode::done);
    on_every_rank(world, [&] {
        if (world.rank() == 0) { code = static_cast<std::uint64_t>(conclude(result, run, study, points, folder)); }
    });
    return static_cast<ExitCode>(all_gather(world, code).front());
}

ExitCode status(const SweepOptions& options, Session&) {
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    static_cast<void>(folder.study());
    const std::vector<SweepPoint> points = points_of(study, folder);
    std::size_t counts[3] = {};
    for (const SweepPoint& point : points) {
        const PointState state = folder.state(point);
        ++counts[static_cast<int>(state.status)];
        if (state.status == PointStatus::failed) {
            print_point(study, point);
            say("    exit code {}: {}\n", state.exit_code, state.message);
        }
    }
    say("{} points: {} complete, {} failed, {} missing\n", points.size(), counts[1], counts[2], counts[0]);
    return ExitCode::done;
}

/// Reports all faults of the study now, not when the job begins.
ExitCode submit(const SweepOptions& options, Session&) {
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    const std::vector<SweepPoint> points = prepare(study, folder);
    SlurmJob job = options.job;
    const bool is_file = options.study.ends_with(".toml");
    job.study = is_file ? std::filesystem::absolute(options.study).string() : options.study;
    job.folder = std::filesystem::absolute(folder.path()).lexically_normal().string();
    job.program = std::filesystem::read_symlink("/proc/self/exe").string();
    if (!options.ranks_per_point.empty()) {
        job.options.insert(job.options.end(), {"--ranks-per-point", options.ranks_per_point});
    }
    if (options.run.timeout_s > 0) {
        job.options.insert(job.options.end(), {"--timeout", std::to_string(options.run.timeout_s)});
    }
    if (options.memory_mb > 0) {
        job.options.insert(job.options.end(), {"--memory", std::to_string(options.memory_mb)});
    }
    const std::string script = write_job(job);
    say("{} points\n{}\n", points.size(), script);
    if (!options.is_only_written) { say("{}\n", submit_job(script)); }
    return ExitCode::done;
}

ExitCode collect(const SweepOptions& options, Session&) {
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    static_cast<void>(folder.study());
    write_index(study, points_of(study, folder), folder, options.csv);
    say("{}\n", folder.index_file());
    return ExitCode::done;
}

}  // namespace

void add_sweep_command(Command program, Session& session) {
    Command command = program.add_command("sweep", "Run design-space studies: every workload with every combination.");
    command.require_command();
    const auto options = std::make_shared<SweepOptions>();
    const auto add = [&](const char* name, const char* help, ExitCode (*action)(const SweepOptions&, Session&)) {
        Command each = command.add_command(name, help);
        each.add_option("STUDY", options->study, "Name ('lookahead list studies') or TOML file of a study").required();
        each.add_option("--out", options->out, "Folder of the sweep [STUDY.sweep]").not_empty();
        session.on(each, [&session, options, action] {
            const bool runs = action == run;
            if (session.transport.size() > 1 && !runs) {
                throw ConfigurationError("only `sweep run` works under mpirun");
            }
            return runs && session.point_server != nullptr ? run_on_ranks(*options, session)
                                                           : action(*options, session);
        });
        return each;
    };
    add("plan", "Check every configuration and list the points.", plan);
    Command runs = add("run",
                       "Run the points that have no result, and write the index. Under mpirun -n N groups of ranks "
                       "share the points, the costliest first; keys and files equal those without mpirun, and either "
                       "way continues where the other stopped.",
                       run);
    runs.add_option("--jobs,-j", options->jobs, "Without mpirun: number of points that run at once [one per core]")
        .in_range(1, 4096);
    runs.add_flag("--no-wait", options->no_wait, "Do not wait for points that other programs run");
    const auto add_limits = [&options](Command each) {
        each.add_option("--ranks-per-point", options->ranks_per_point,
                        "Under mpirun: ranks per point; auto: one, and more for the points that would run longest [1]");
        each.add_option("--timeout", options->run.timeout_s, "Seconds after which a point fails; 0: no limit")
            .not_negative()
            .show_default();
        each.add_option("--memory", options->memory_mb,
                        "Memory of each process of a point, in MB, above which the point fails; 0: no limit");
    };
    add_limits(runs);
    runs.add_option("--shard", options->shard, "I/N: only every N-th point, from number I; for job arrays")
        .show_default();
    runs.add_flag("--retry-failed", options->run.retry_failed, "Run failed points again");
    runs.add_option("--progress", options->progress, "Progress on stderr: plain or none").show_default();
    Command submits =
        add("submit",
            "Write a Slurm job that runs the points under mpirun, and submit it. Before its time is over, running "
            "points stop at checkpoints, and the job requeues itself until all points have ended.",
            submit);
    add_limits(submits);
    SlurmJob& job = options->job;
    job.tasks_per_node = available_cores();
    submits.add_option("--partition", job.partition, "Partition [Slurm's default]");
    submits.add_option("--time", job.time, "Time limit of a job, in Slurm's format").show_default();
    submits.add_option("--nodes", job.nodes, "Nodes per job").in_range(1, 100'000).show_default();
    submits.add_option("--tasks-per-node", job.tasks_per_node, "Ranks per node [the cores of this node]")
        .in_range(1, 4096);
    submits.add_option("--array", job.array, "Number of jobs that share the points").in_range(1, 10'000).show_default();
    submits.add_option("--grace", job.grace_s, "Points stop this many seconds before the job's time is over")
        .in_range(1, 65'535)
        .show_default();
    submits.add_option("--mpirun", job.mpirun, "The mpirun to use on the nodes").show_default();
    submits.add_flag("--dry-run", options->is_only_written, "Write the script and do not submit it");
    add("status", "Count the points by status; say why points failed.", status);
    Command collects =
        add("collect",
            "Write the index file of the results so far: tables of points, counters and kernels, with failed "
            "points as rows. Reads only new results.",
            collect);
    collects.add_flag("--csv", options->csv, "Write points.csv and counters.csv too");
}

}  // namespace lookahead::cli
