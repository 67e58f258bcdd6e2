// `sweep`: design-space studies.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"
#include "experiments/run/available_cores.h"
#include "experiments/sweep/index.h"
#include "experiments/sweep/plan.h"
#include "experiments/sweep/runner.h"
#include "experiments/sweep/study.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead::cli {

namespace {

struct SweepOptions {
    std::string study;
    std::string out;
    SweepRunOptions run;
    std::string shard = "0/1";
    std::string progress = "plain";

    std::string folder(const Study& study_read) const {
        if (!out.empty()) {
            return out;
        }
        std::string name = study_read.name;
        std::replace(name.begin(), name.end(), '/', '-');
        return name + ".sweep";
    }
};

void print_point(const Study& study, const SweepPoint& point) {
    std::printf("%s  %-16s", point.key.c_str(), point.workload.c_str());
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        std::printf("  %s=%s", study.axes[axis].name.c_str(), point.labels[axis].c_str());
    }
    std::printf("\n");
}

ExitCode plan(const SweepOptions& options) {
    const Study study = load_study(options.study);
    const std::vector<SweepPoint> points = plan_sweep(study);
    std::printf("%s: %s\n%zu points of size %s\n", study.name.c_str(), study.title.c_str(), points.size(),
                study.size.c_str());
    for (const SweepPoint& point : points) {
        print_point(study, point);
    }
    return ExitCode::done;
}

void read_shard(const std::string& text, SweepRunOptions& run) {
    int used = 0;
    if (std::sscanf(text.c_str(), "%d/%d%n", &run.shard, &run.shards, &used) != 2 ||
        static_cast<std::size_t>(used) != text.size() || run.shards < 1 || run.shard < 0 || run.shard >= run.shards) {
        throw ConfigurationError("--shard " + text + " is not I/N with 0 <= I < N, as in 0/4");
    }
}

ExitCode run(const SweepOptions& options) {
    SweepRunOptions run = options.run;
    read_shard(options.shard, run);
    run.progress = parse_progress(options.progress);
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    const std::vector<SweepPoint> points = plan_sweep(study);
    folder.create(study, points);
    const SweepRunResult result = run_sweep(points, folder, run);
    if (result.interrupted) {
        std::fprintf(stderr, "lookahead: interrupted after %zu points; the same command goes on\n", result.executed);
        return ExitCode::stopped_at_checkpoint;
    }
    if (run.shards == 1) {
        write_index(study, points, folder);
    }
    std::printf("%zu points, %zu complete, %zu failed, %zu run now\n", points.size(), result.complete, result.failed,
                result.executed);
    std::printf("%s\n",
                run.shards == 1 ? folder.index_file().c_str() : "run `lookahead sweep collect` after all shards");
    return ExitCode::done;
}

ExitCode status(const SweepOptions& options) {
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    const std::vector<SweepPoint> points = plan_sweep(study);
    std::size_t counts[3] = {};
    for (const SweepPoint& point : points) {
        const PointState state = folder.state(point);
        ++counts[static_cast<int>(state.status)];
        if (state.status == PointStatus::failed) {
            print_point(study, point);
            std::printf("    exit code %d: %s\n", state.exit_code, state.message.c_str());
        }
    }
    std::printf("%zu points: %zu complete, %zu failed, %zu missing\n", points.size(), counts[1], counts[2], counts[0]);
    return ExitCode::done;
}

ExitCode collect(const SweepOptions& options) {
    const Study study = load_study(options.study);
    const SweepFolder folder(options.folder(study));
    static_cast<void>(folder.study());
    write_index(study, plan_sweep(study), folder);
    std::printf("%s\n", folder.index_file().c_str());
    return ExitCode::done;
}

}  // namespace

void add_sweep_command(Command program, Session& session) {
    Command command = program.add_command("sweep", "Design-space studies: every workload with every combination.");
    command.require_command();
    const auto options = std::make_shared<SweepOptions>();
    options->run.jobs = available_cores();  // each point has one thread
    const auto add = [&](const char* name, const char* help, ExitCode (*action)(const SweepOptions&)) {
        Command each = command.add_command(name, help);
        each.add_option("STUDY", options->study, "Name ('lookahead list studies') or TOML file of a study").required();
        each.add_option("--out", options->out, "Folder of the sweep [STUDY.sweep]");
        each.when_given([&session, options, action] {
            session.action = [&session, options, action] {
                if (session.transport.size() > 1) {
                    throw ConfigurationError("a sweep runs without mpirun; --jobs says how many points run at once");
                }
                return action(*options);
            };
        });
        return each;
    };
    add("plan", "List the points, after every configuration was checked.", plan);
    Command runs = add("run", "Run the points that have no result yet, and write the index.", run);
    runs.add_option("--jobs,-j", options->run.jobs, "Points at once").in_range(1, 4096).show_default();
    runs.add_option("--shard", options->shard, "I/N: only each N-th point, from number I; for job arrays")
        .show_default();
    runs.add_flag("--retry-failed", options->run.retry_failed, "Run points that failed before once more");
    runs.add_option("--timeout", options->run.timeout_s, "Seconds after which a point has failed; 0: none")
        .not_negative()
        .show_default();
    runs.add_option("--progress", options->progress, "Progress on stderr: plain or none").show_default();
    add("status", "Count the points by status; say why points failed.", status);
    add("collect", "Write the index file over what is there.", collect);
}

}  // namespace lookahead::cli
