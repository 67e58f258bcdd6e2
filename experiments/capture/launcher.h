#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/frontend/cudart/protocol.h"
#include "experiments/capture/server.h"

namespace lookahead {

/// The folder of the replacement libcudart.so of this installation. A ConfigurationError if it is not there.
std::string cudart_folder();

/// The destination of a program's stdout.
enum class ProgramOutput { to_stdout, to_stderr };

/// A CUDA program that runs with the replacement libcudart.so and sends requests for its device.
class CapturedProgram {
  public:
    /// Starts `command`, which maps the file `memory` as the device's memory. An InputError if it cannot be started.
    CapturedProgram(const std::vector<std::string>& command, const std::string& library_folder, int memory,
                    ProgramOutput output = ProgramOutput::to_stdout);
    /// Ends the program if it still runs.
    ~CapturedProgram();
    CapturedProgram(const CapturedProgram&) = delete;
    CapturedProgram& operator=(const CapturedProgram&) = delete;

    /// Waits for its next request; false when it has ended or closed its end.
    bool next(cudart::Request& request, std::vector<std::byte>& payload);
    /// False if the program has ended.
    bool answer(const cudart::Reply& reply, std::span<const std::byte> payload);
    /// Waits until it has ended.
    void end();
    /// The same, and returns its exit status. ProgramError if a signal ended it.
    int wait();

  private:
    class Process;
    std::unique_ptr<Process> process_;
};

/// Answers a request; false if the program has ended. For an unsupported request it tells the program to end, waits for
/// that, and throws an InputError.
bool serve(CapturedProgram& program, CaptureServer& server, const cudart::Request& request,
           std::span<const std::byte> payload);

/// Runs `command` and serves it until it ends; returns its exit status.
int run_captured(const std::vector<std::string>& command, const std::string& library_folder, CaptureServer& server);

}  // namespace lookahead
