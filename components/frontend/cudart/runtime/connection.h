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

    /// Sends a request with its payload, waits for the answer and writes its payload to `answer`. Errors remain until
    /// cudaGetLastError takes them. Ends the process if the answer says so.
    Reply call(const Request& request, std::span<const std::byte> payload = {}, std::span<std::byte> answer = {});
    /// The same for an answer of unknown length.
    Reply call(const Request& request, std::span<const std::byte> payload, std::vector<std::byte>& answer);
    /// A launch: like every asynchronous call it succeeds even if the kernel fails; the next call reports the error.
    Reply launch(const Request& request, std::span<const std::byte> payload);

    /// Prints a sentence to the user, each sentence once.
    void note(const std::string& sentence);
    /// Ends the program: `lookahead capture` reports the sentence.
    [[noreturn]] void refuse(const std::string& sentence);

    /// The descriptor of the file that is the device's memory.
    int memory() const { return memory_; }

  private:
    Connection();
    /// Claims the device, which belongs to one process at a time. Returns CUDA's error for another process
    /// (kDevicesUnavailable), for a process forked from one that has used the device (kInitializationError), and for a
    /// host function that a stream runs (kNotPermitted).
    CudaError claim();
    bool is_claimed_by_other() const;
    /// `place_for` gives the place for an answer of so many bytes.
    template <class PlaceFor>
    Reply ask(const Request& request, std::span<const std::byte> payload, PlaceFor place_for);
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
/// The last error; `clear` resets it, unless the error has lost the program's device.
CudaError last_error(bool clear);

/// The device's properties; requested once.
const DeviceInformation& device_information();

/// 11, 12 or 13: the major version of the runtime that this library replaces.
extern const int kRuntimeMajor;

}  // namespace lookahead::cudart

/// Declares CUDA's second name of a function, or the name of an equivalent function.
#define LOOKAHEAD_SECOND_NAME(function, name) __attribute__((alias(#function))) decltype(function) name;
/// Declares the function's name for programs that are compiled with one default stream per thread.
#define LOOKAHEAD_PER_THREAD(function, suffix) LOOKAHEAD_SECOND_NAME(function, function##suffix)
