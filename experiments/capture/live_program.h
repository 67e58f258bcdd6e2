#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/capture/capture_machine.h"
#include "experiments/capture/launcher.h"
#include "experiments/capture/server.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// A CUDA program that runs beside the simulation: the device of `run` executes its requests, and the program reads
/// back the results. Its exit status is the check. It can run once, because a program's actions need not repeat.
class LiveProgram : public Workload {
  public:
    /// Starts the program and serves it up to its first request to the device, when its modules are complete.
    /// InputError for a program without modules.
    LiveProgram(const std::vector<std::string>& command, const CaptureMachine& machine, ProgramOutput output);

    ProgramCode code() const override { return {ptx_, server_.capture().ptx_name, "ptx", server_.capture().cubins}; }
    void run(Device& device) override;
    CheckReport check() const override;

  private:
    std::string name_;  ///< of its file
    CaptureServer server_;
    CapturedProgram program_;
    cudart::Request request_;  ///< not served yet
    std::vector<std::byte> payload_;
    std::string ptx_;
    std::optional<int> status_;
};

}  // namespace lookahead
