#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/sync/engine_statistics.h"
#include "core/sync/process_checkpoint.h"
#include "core/sync/process_profile.h"
#include "core/time/time.h"

namespace lookahead {

class Transport;
class TraceSink;

/// The first multiple of the epoch length after `time`.
constexpr Time epoch_after(Time time, Time length) {
    return saturating_add(time - time % length, length);
}

/// The report that every rank's observer gets at every epoch, equal for any ranks, partition and protocol. All LPs are
/// at `time`, a multiple of the epoch length; epochs without events are left out.
struct EpochReport {
    Time time;
    std::uint64_t index;         ///< time / epoch length
    std::uint64_t progress;      ///< LogicalProcess::progress summed over all LPs
    std::uint64_t traffic_hash;  ///< of all messages delivered up to now
    bool asked_to_stop;          ///< whether some rank's EpochObserver was asked; may depend on wall time
};

class EpochObserver {
  public:
    virtual ~EpochObserver() = default;
    /// Whether this rank was asked to stop. All ranks learn of it from EpochReport::asked_to_stop and so can decide
    /// alike.
    virtual bool asked_to_stop() { return false; }
    /// `local`: the LPs of this rank, in the order of their ids.
    virtual void on_epoch(const EpochReport&, std::span<LogicalProcess* const> local) { static_cast<void>(local); }
    /// Whether the run stops here; the same on every rank. Called after write_checkpoint, if that is called.
    virtual bool stop(const EpochReport&) { return false; }
    /// Whether to call write_checkpoint; the same on every rank. Not called at the end of a run.
    virtual bool wants_checkpoint(const EpochReport&) { return false; }
    virtual void write_checkpoint(const EpochReport&, const RunningProcesses& local) { static_cast<void>(local); }
};

struct SimulationOptions {
    std::string sync = "serial";
    Time epoch_length = 1'000'000'000;  ///< 1 microsecond
    EpochObserver* observer = nullptr;
    TraceSink* trace = nullptr;  ///< for this rank
    std::size_t threads = 1;     ///< most threads that advance this rank's LPs (Simulation::helper)
    // For tests: these switches make the engine always do what it otherwise does only if that is quicker.
    bool shares_always = false;  ///< threads share every window
    bool halves_always = false;  ///< with the protocol `window` ranks go by half windows wherever enough LPs have work
    bool rounds_always = false;  ///< with the protocol `window` batches go in rounds also between few ranks
    bool log_windows = false;    ///< fill RunProfile::windows; not with null_message, whose ranks share no windows
};

enum class Outcome { finished, stopped, failed, deadlock };

/// The same on every rank.
struct SimulationResult {
    Outcome outcome = Outcome::finished;
    Time end_time = 0;             ///< the epoch at which the run ended
    std::uint64_t state_hash = 0;  ///< hash of all messages and of all LPs' states at end_time
    std::string message;           ///< the error, for failed and deadlock
    ExitCode code = ExitCode::done;
    std::uint64_t progress = 0;
    std::vector<EngineStatistics> per_rank;
    RunProfile profile;  ///< on rank 0
};

/// A run of a model over the ranks of a transport. Every rank makes one with the same arguments.
class Simulation {
  public:
    /// Makes this rank's LPs. ConfigurationError for an unknown protocol or one that does not support this number of
    /// ranks; an error in making an LP is thrown on every rank.
    Simulation(const Model&, std::vector<int> rank_of_lp, Transport&, SimulationOptions);
    ~Simulation();

    /// Restores the LPs of this rank at the epoch `time`; call it before run(). `all` has the LPs of all ranks; the run
    /// that saved them may have had other ranks, another partition and another protocol. Throws InputError, on every
    /// rank, if `all` is not a checkpoint of this model.
    void restore(Time time, const SavedProcesses& all);

    /// Runs the simulation, once. Errors of the simulated program and of the simulator are in the result, on every
    /// rank.
    SimulationResult run();

    /// Returns a function that other threads may call at any time: it advances LPs of this rank beside run() until
    /// run() ends. Called after that, even when the simulation no longer exists, it returns at once. The result does
    /// not depend on such calls.
    std::function<void()> helper();

    std::span<LogicalProcess* const> local_processes();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace lookahead
