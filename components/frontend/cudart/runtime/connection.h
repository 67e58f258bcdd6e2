#pragma once

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

    /// Ends the program: `lookahead capture` reports the sentence.
    [[noreturn]] void refuse(const std::string& sentence);

  private:
    Connection();
    Reply exchange(const Request& request, std::span<const std::byte> payload);
    void send(std::span<const std::byte> bytes) const;
    void receive(std::span<std::byte> bytes) const;

    int socket_ = -1;
};

/// Keeps an error for cudaGetLastError, and returns it.
CudaError remember(std::int32_t error);
/// The last error; with `clear` it is forgotten, unless the program's device is lost by it.
CudaError last_error(bool clear);

}  // namespace lookahead::cudart
