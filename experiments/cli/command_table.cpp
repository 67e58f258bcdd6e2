#include "experiments/cli/command_table.h"

#include <fmt/format.h>

#include "experiments/cli/commands.h"
#include "experiments/results/provenance.h"

namespace lookahead::cli {

namespace {

constexpr const char* kDescription =
    "Lookahead simulates GPUs: a conservative parallel discrete-event simulation that gives the same result on any\n"
    "number of MPI ranks, and checks every program's output.\n\n"
    "  lookahead run sgemm                          simulate a workload on the default machine, gtx480\n"
    "  lookahead run bfs -o sm.warp_scheduler=lrr   with another warp scheduler\n"
    "  mpirun -n 2 lookahead run hotspot            on two ranks\n"
    "  lookahead list                               workloads, machines and variants\n"
    "  lookahead describe NAME                      the meaning of any of these names";

constexpr const char* kFooter =
    "Exit codes: 0 done, outputs match; 2 usage or configuration; 3 bad input file; 4 the simulated program\n"
    "misbehaved; 5 an internal invariant broke; 75 stopped at a checkpoint.";

constexpr CommandEntry kCommands[] = {
    {"run", add_run_command},
    {"resume", add_resume_command},
    {"emulate", add_emulate_command},
    {"list", add_list_command},
    {"describe", add_describe_command},
    {"config", add_config_command},
    {"partition", add_partition_command},
    {"bench", add_bench_command},
    {"profile", add_profile_command},
    {"explain", add_explain_command},
    {"annotate", add_annotate_command},
    {"capture", add_capture_command},
    {"validate", add_validate_command},
    {"diff", add_diff_command},
    {"sweep", add_sweep_command},
    {"report", add_report_command},
    {"completion", add_completion_command},
};

}  // namespace

std::span<const CommandEntry> all_commands() {
    return kCommands;
}

CommandLine make_command_line() {
    const std::string version = fmt::format("lookahead {}, revision {}, build {}\n{}\n{}", LOOKAHEAD_VERSION,
                                            git_revision(), build_id(), compiler(), LOOKAHEAD_LIBRARIES);
    return CommandLine("lookahead", kDescription, kFooter, version);
}

}  // namespace lookahead::cli
