#pragma once

namespace lookahead {

/// cluster/slurm/sweep.sbatch.
extern const char* const kSlurmTemplate;

}  // namespace lookahead
