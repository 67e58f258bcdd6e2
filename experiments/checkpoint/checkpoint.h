#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/param/configuration.h"
#include "core/sync/process_checkpoint.h"
#include "core/time/time.h"

namespace lookahead {

/// A run at an epoch, without its processes' states: its inputs and its place. The file format is
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

    std::uint64_t cycle = 0;         ///< core cycle of `time`
    Time time = 0;                   ///< of the epoch
    std::vector<std::string> names;  ///< of the processes
    std::string series;              ///< SeriesCollector::to_bytes() of all ranks
};

/// Writes a checkpoint's file, holding at most one piece of the states in memory. The file appears under its name when
/// it is complete and on the disk. InputError if it cannot be written.
class CheckpointWriter final : public ProcessTaker {
  public:
    explicit CheckpointWriter(const std::string& path);
    ~CheckpointWriter() override;

    /// Call it in the order of the ids.
    void begin(const ProcessCheckpoint&) override;
    void add_state(std::string_view piece) override;
    void finish(const Checkpoint& checkpoint);

  private:
    struct File;
    std::unique_ptr<File> file_;
};

/// A checkpoint's file, from which every rank reads its own processes.
class CheckpointFile final : public SavedProcesses {
  public:
    /// InputError with the path for a file that is not a valid checkpoint, was written by another revision of the
    /// program, or whose input files have changed.
    explicit CheckpointFile(const std::string& path);
    ~CheckpointFile() override;

    const Checkpoint& checkpoint() const;
    std::uint64_t state_hash() const;  ///< of all processes

    std::vector<LpId> ids() const override;
    ProcessCheckpoint process(LpId id) const override;
    ByteSource state(LpId id) const override;

  private:
    struct File;
    std::unique_ptr<File> file_;
};

/// Removes partial checkpoints that killed runs of the workload have left in the folder. A file that is being written
/// stays: HDF5 locks it.
void remove_abandoned_checkpoints(const std::string& folder, const std::string& workload);

}  // namespace lookahead
