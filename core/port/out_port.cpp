#include "core/port/out_port.h"

#include <fmt/format.h>

namespace lookahead {

void OutPort::begin_turn() {
    LOOKAHEAD_ASSERT(
        turn() != 0xff,
        "{} has sent 2^40 messages on its port {}: the next would not follow them in the order of messages", owner_,
        name_);
    set_turn(static_cast<std::uint8_t>(turn() + 1));
}

std::string OutPort::describe_misuse(unsigned destination, std::size_t payload_bytes) const {
    return fmt::format(
        "{} sent {} bytes to destination {} of its port {}, which has {} destinations and takes {} bytes at most",
        owner_, payload_bytes, destination, name_, fan_out_, kMaximumPayloadBytes);
}

void OutPort::throw_lookahead_violation(unsigned destination, Time now, Time arrival) const {
    throw InternalError(
        "{} at {} fs sent a message on its port {} that arrives at {} fs, before the channel's lookahead of {} fs has "
        "passed",
        owner_, now, name_, arrival, lookahead(destination));
}

}  // namespace lookahead
