#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "components/frontend/cudart/protocol.h"

namespace lookahead::cudart {

/// The program's end of the sockets to `lookahead capture`.
class Connection {
  public:
    static Connection& get();

    /// Sends a request with its payload and waits for the answer, whose payload goes to `answer`. Errors stay until
    /// cudaGetLastError takes them. Ends the process if the answer says so.
    Reply call(Request request, std::span<const std::byte> payload = {}, std::span<std::byte> answer = {});
    /// The same, where the answer's length is not known before.
    Reply call(Request request, std::span<const std::byte> payload, std::vector<std::byte>& answer);
    /// A launch: like every asynchronous call it succeeds where the kernel itself fails; the error comes with the
    /// next call.
    Reply launch(const Request& request, std::span<const std::byte> payload);

    /// Tells the user something, once for each sentence.
    void note(const std::string& sentence);
    /// Ends the program: `lookahead capture` reports the sentence.
    [[noreturn]] void refuse(const std::string& sentence);

    /// The device's memory as a file.
    int memory() const { return memory_; }

  private:
    Connection();
    /// The device is one process's at a time. A process that was forked from one that has used it gets CUDA's error for
    /// that, as does a function of the host that a stream runs.
    CudaError claim();
    bool is_claimed_by_other() const;
    Reply exchange(const Request& request, std::span<const std::byte> payload);
    void print_kernels_text();
    void send(std::span<const std::byte> bytes) const;
    void receive(std::span<std::byte> bytes) const;

    int socket_ = -1;
    int memory_ = -1;
    std::atomic<pid_t> owner_ = 0;  ///< the process that claimed the device
    std::vector<std::string> noted_;
    std::string kernels_text_;  ///< printed by the last launch and not yet on stdout
};

/// Keeps an error for cudaGetLastError, and returns it.
CudaError remember(std::int32_t error);
/// The last error; with `clear` it is forgotten, unless the program's device is lost by it.
CudaError last_error(bool clear);

/// What the device is like; asked for once.
const DeviceInformation& device_information();

/// 11, 12 or 13: whose runtime this library stands for.
extern const int kRuntimeMajor;

}  // namespace lookahead::cudart

/// A second name that CUDA has for a function, or that of one which does the same.
#define LOOKAHEAD_SECOND_NAME(function, name) __attribute__((alias(#function))) decltype(function) name;
/// That for programs that are compiled with one default stream for each thread.
#define LOOKAHEAD_PER_THREAD(function, suffix) LOOKAHEAD_SECOND_NAME(function, function##suffix)
