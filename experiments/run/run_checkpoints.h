#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lp/model.h"
#include "core/sync/simulation.h"
#include "core/time/time.h"
#include "core/transport/transport.h"
#include "experiments/checkpoint/checkpoint.h"
#include "experiments/results/series_collector.h"
#include "experiments/run/run.h"

namespace lookahead {

inline constexpr std::string_view kCheckpointSuffix = ".checkpoint.h5";

/// The common start of the paths of a run's checkpoints.
std::string checkpoint_stem(const RunRequest& request);

/// Writes a run's checkpoints, and checks the one from which a run continues. Every rank uses it; rank 0 has the files.
class RunCheckpoints {
  public:
    /// All keys of `configuration` must have been read. The references must outlive this object.
    RunCheckpoints(const RunRequest& request, const Configuration& configuration, const Model& model,
                   Transport& transport)
        : request_(request), configuration_(configuration), model_(model), transport_(transport) {}

    /// What identifies the run, and the files that it reads, with their hashes. Call it before the others.
    void identify(std::string run_id, std::vector<std::pair<std::string, std::string>> inputs) {
        run_id_ = std::move(run_id);
        inputs_ = std::move(inputs);
    }
    /// InputError unless the checkpoint is of this run.
    void check(const Checkpoint& checkpoint) const;
    /// Writes the file on rank 0. Returns, on every rank, whether that succeeded: a full disk must not end the run.
    bool take(Time time, std::uint64_t cycle, const RunningProcesses& local, const SeriesCollector& series);
    /// The path of the last one; empty: none.
    const std::string& last() const { return last_; }

  private:
    Checkpoint describe(Time time, std::uint64_t cycle, SeriesCollector series, const std::vector<std::string>& rows);
    void keep_latest(const std::string& path);

    const RunRequest& request_;
    const Configuration& configuration_;
    const Model& model_;
    Transport& transport_;
    std::string run_id_;
    std::vector<std::pair<std::string, std::string>> inputs_;
    std::string last_;
    std::deque<std::string> written_;  ///< those of this run that still exist
};

}  // namespace lookahead
