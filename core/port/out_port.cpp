#include "core/port/out_port.h"

namespace lookahead {

void OutPort::begin_turn() {
    LOOKAHEAD_ASSERT(turn() != 0xff, owner_ + " has sent 2^40 messages on its port " + name_ +
                                         ": the next would not follow them in the order of messages");
    set_turn(static_cast<std::uint8_t>(turn() + 1));
}

std::string OutPort::describe_misuse(unsigned destination, std::size_t payload_bytes) const {
    return owner_ + " sent " + std::to_string(payload_bytes) + " bytes to destination " + std::to_string(destination) +
           " of its port " + name_ + ", which has " + std::to_string(fan_out_) + " destinations and takes " +
           std::to_string(kMaximumPayloadBytes) + " bytes at most";
}

void OutPort::throw_lookahead_violation(unsigned destination, Time now, Time arrival) const {
    throw InternalError(owner_ + " at " + std::to_string(now) + " fs sent a message on its port " + name_ +
                        " that arrives at " + std::to_string(arrival) + " fs, before the channel's lookahead of " +
                        std::to_string(lookahead(destination)) + " fs has passed");
}

}  // namespace lookahead
