#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/param/configuration.h"
#include "core/sync/simulation.h"

namespace lookahead {

/// A run at an epoch: what it is a run of, and where it stands. The file format is
/// hdf5_schemas/checkpoint.schema.json.
struct Checkpoint {
    std::string run_id;
    std::string workload;
    std::string size;
    std::uint64_t seed = 1;
    std::string machine;
    Configuration configuration;                              ///< all of it has been read
    std::uint64_t max_cycles = 0;                             ///< 0: no limit
    std::uint64_t max_instructions = 0;                       ///< 0: no limit
    std::vector<std::pair<std::string, std::string>> inputs;  ///< files that the workload reads, and their hashes

    std::uint64_t cycle = 0;         ///< core cycle of state.time
    SimulationCheckpoint state;      ///< of all processes
    std::vector<std::string> names;  ///< of the processes
    std::string series;              ///< SeriesCollector::to_bytes() of all ranks
};

/// The file appears under its name when it is complete and on the disk. InputError if it cannot be written.
void write_checkpoint(const Checkpoint& checkpoint, const std::string& path);

/// InputError with the path for a file that is not a valid checkpoint, was written by another revision of the program, or
/// whose input files have changed.
Checkpoint read_checkpoint(const std::string& path);

}  // namespace lookahead
