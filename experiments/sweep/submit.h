#pragma once

#include <string>
#include <vector>

namespace lookahead {

/// A Slurm job that runs a sweep.
struct SlurmJob {
    std::string study;    ///< name, or absolute path of the file
    std::string folder;   ///< absolute path
    std::string program;  ///< absolute path
    std::string mpirun = "mpirun";
    std::string partition;  ///< empty: Slurm's default
    std::string time = "1:00:00";
    int nodes = 1;
    int tasks_per_node = 1;
    int array = 1;                     ///< number of jobs that share the points
    int grace_s = 120;                 ///< between the signal to stop and the end of the time
    std::vector<std::string> options;  ///< of `sweep run`
};

/// The job's script: cluster/slurm/sweep.sbatch, filled in.
std::string job_script(const SlurmJob&);

/// Writes FOLDER/job.sbatch; returns its path.
std::string write_job(const SlurmJob&);

/// Runs sbatch on the script; returns its output. ConfigurationError, with sbatch's message, if it refuses or is not
/// installed.
std::string submit_job(const std::string& script);

/// cluster/slurm/sweep.sbatch.
extern const char* const kSlurmTemplate;

}  // namespace lookahead
