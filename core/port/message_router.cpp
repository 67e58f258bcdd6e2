#include "core/port/message_router.h"

#include "core/error/error.h"

namespace lookahead {

void MessageRouter::throw_too_early(const MessageHeader& header) const {
    throw InternalError(
        "a message through channel {} for {} fs was sent when process {} may have advanced to {} fs: an in-port that "
        "is answered only (Model::answer_only) caused another message",
        header.channel_number(), header.time, header.destination, horizons_[receivers_[header.destination].kind]);
}

}  // namespace lookahead
