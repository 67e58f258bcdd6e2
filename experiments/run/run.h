#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/param/configuration.h"
#include "core/transport/transport.h"
#include "experiments/checkpoint/checkpoint.h"
#include "experiments/results/run_record.h"
#include "experiments/run/progress.h"
#include "experiments/workloads/workload.h"
#include "partitioning/partitioners/partition.h"

namespace lookahead {

/// Parameters of the run as a whole, prefix "run".
struct RunParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, epoch, 2000, {1, 1'000'000'000, "ns"},
                        {.help = "Simulated time between the fixed points at which series are taken and limits act.",
                         .source = "choice"});
    LOOKAHEAD_ALL_DECLARED;
};

/// How a run is executed and which files it writes.
struct RunExecution {
    std::string partition = kDefaultPartitioner;
    std::string weights;  ///< result file of an earlier run with costs for the partition; empty: estimates
    std::uint64_t checkpoint_every = 0;  ///< core cycles; 0: only when asked to stop
    std::string checkpoint_folder = ".";
    std::uint64_t checkpoint_keep = 2;         ///< how many of its last checkpoints a run keeps; 0: all
    std::string out;                           ///< HDF5 file; empty: none is written
    bool force = false;                        ///< `out` and `trace` may replace files of other kinds
    std::string trace;                         ///< Perfetto trace of the ranks; empty: none
    std::vector<std::string> trace_of{"sm0"};  ///< processes in the trace of simulated time
    /// The first core cycle of that trace, and the one after its last.
    std::pair<std::uint64_t, std::uint64_t> trace_cycles{0, 20'000};
    std::uint64_t trace_events = 200'000;  ///< of each process at most
    bool log_windows = false;              ///< write /engine/per_window
};

/// A simulation to run. The same on every rank.
struct RunRequest : RunExecution {
    std::string workload;
    /// Command line of a CUDA program that runs beside the simulation instead of the workload, and gives the run its
    /// name; empty for none. On one rank, and without checkpoints.
    std::vector<std::string> command;
    std::string size = "small";
    WorkloadContext context;
    std::string machine = "gtx480";
    Configuration configuration;  ///< of machine and workload, with all overrides
    std::string sync = "serial";
    std::uint64_t max_instructions = 0;          ///< warp instructions; 0: no limit
    std::uint64_t max_cycles = 0;                ///< core cycles since the start of the run; 0: no limit
    std::shared_ptr<const CheckpointFile> from;  ///< to continue from; null: from the start
    ProgressMode progress = ProgressMode::plain;
    bool keep_stdout = false;        ///< text printed by kernels goes to stderr
    bool is_one_of_many = false;     ///< drops text printed by kernels, and a result that cannot be written to `out`
    std::function<void()> at_epoch;  ///< called on every rank at each epoch; its exceptions fail the run
    /// Returns the first unused name for `out` if the user has not named it: then no file is replaced, not even one
    /// that has appeared since.
    std::function<std::string()> free_out;
    int threads = 1;                     ///< of each rank; threads after the first help to advance processes
    std::vector<std::string> arguments;  ///< argv
};

struct RunOutcome {
    RunRecord record;         ///< complete on rank 0; its scalars are the same on every rank
    bool has_result = false;  ///< the simulation came to an orderly end: a result file is written
    std::string result;       ///< on rank 0: the file, in another place if there was no room; empty: none
    std::string lost;         ///< on rank 0: the files not written at the end, and why; a part of the message
    ExitCode code = ExitCode::done;
    std::string message;     ///< for a code other than done: a sentence
    std::string checkpoint;  ///< the last that was written; empty: none
};

/// Simulates on all ranks of the transport and writes the result file; a run that was asked to stop (StopSignal) leaves
/// a checkpoint instead. Errors of the simulated program are in the outcome, and so is a result or a trace that cannot
/// be written at the end (ExitCode::bad_input); wrong input is thrown before the simulation begins, on every rank.
RunOutcome run(const RunRequest& request, Transport& transport);

/// The identity of the run's result (RunRecord::run_id), from the configuration. ConfigurationError for keys that are
/// wrong by themselves.
std::string run_id_of(const RunRequest& request);

/// The files that a workload reads. Its parameters must have been read from the configuration. Like the configuration,
/// the files' contents determine a run, whatever their names.
std::vector<std::string> input_files(const std::string& workload, const Configuration&);

/// The workload of a name: `capture` and `trace` for the names of such files, others as they are.
std::string workload_of(const std::string& name);
/// Whether the workload's inputs are in its file, so that it has neither size nor seed.
bool has_own_inputs(const std::string& workload);

}  // namespace lookahead
