#pragma once

#include <cstdint>
#include <span>

#include "core/lp/logical_process.h"
#include "core/lp/model.h"

namespace lookahead {

/// The operations of the engine (or a test harness) on an LP, except advancing it.
class LpBinding {
  public:
    /// Gives the LP its id and name, and connects its ports. `channels` are those that leave this LP;
    /// `first_channel` is the global number of its port 0. InternalError if the model connects a port that
    /// the LP does not have.
    static void bind(LogicalProcess&, LpId, const LpDescription&, std::span<const ChannelDescription> channels,
                     std::uint32_t first_channel, MessageRouter&);

    /// Makes the LP send its messages through this router from now on.
    static void send_through(LogicalProcess&, MessageRouter&);

    /// Lists the LP's own state and its ports' sequence numbers.
    static void fields(LogicalProcess&, StateArchive&);

    static Time failed_at(const LogicalProcess& lp) { return lp.failed_at_; }
};

}  // namespace lookahead
