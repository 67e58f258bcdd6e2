#pragma once

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "components/protocols/launch.h"
#include "core/port/out_port.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// Bytes of parameters in one message of a launch: well within the largest payload.
inline constexpr std::size_t kParameterBytesInMessage = 1024;

/// Sends `launch` (LaunchKernel or KernelBegin) with its parameters: parameters that do not fit into one message go
/// before it in other messages, which arrive at the same time.
void send_launch(OutPort& port, unsigned destination, Time now, Time arrival, const auto& launch,
                 std::span<const std::byte> parameters) {
    const auto send = [&](const auto& head, std::size_t bytes) {
        std::byte* payload = port.reserve(destination, now, arrival, head.kType, sizeof head + bytes);
        std::memcpy(payload, &head, sizeof head);
        if (bytes != 0) { std::memcpy(payload + sizeof head, parameters.data(), bytes); }
        parameters = parameters.subspan(bytes);
    };
    while (parameters.size() > kParameterBytesInMessage) {
        send(LaunchParameters{kParameterBytesInMessage}, kParameterBytesInMessage);
    }
    send(launch, parameters.size());
}

/// Reassembles a launch's parameters, all of which arrive at the same time. So it is empty between two points in time
/// and is not part of the state.
class ArrivingParameters {
  public:
    void add(const MessageHeader& message) {
        append(message, sizeof(LaunchParameters), message.as<LaunchParameters>().bytes);
    }

    /// Returns all parameters of the launch whose last message is `message` (a Launch).
    template <class Launch>
    std::vector<std::byte> take(const MessageHeader& message) {
        append(message, sizeof(Launch), message.as<Launch>().parameter_bytes - bytes_.size());
        return std::exchange(bytes_, {});
    }

  private:
    void append(const MessageHeader& message, std::size_t head, std::size_t count) {
        const std::byte* first = message.payload() + head;
        bytes_.insert(bytes_.end(), first, first + count);
    }

    std::vector<std::byte> bytes_;
};

}  // namespace lookahead::gpu
