#include "core/port/message_router.h"

#include <string>

#include "core/error/error.h"

namespace lookahead {

void MessageRouter::throw_too_early(const MessageHeader& header) const {
    throw InternalError("a message through channel " + std::to_string(header.channel_number()) + " for " +
                        std::to_string(header.time) + " fs was sent when process " +
                        std::to_string(header.destination) + " may have advanced to " +
                        std::to_string(horizons_[receivers_[header.destination].kind]) +
                        " fs: an in-port that is answered only (Model::answer_only) caused another message");
}

}  // namespace lookahead
