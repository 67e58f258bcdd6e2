#pragma once

#include <string_view>

#include "components/interconnect/topology.h"

namespace lookahead::gpu {

/// Relative number of messages of a path, for partitioners that have no measured ones.
inline constexpr double kPathTraffic = 10;

/// Two logical processes that carry all messages between SMs and slices. A path has an in-port of its own: that from
/// SM m to slice s is m x slices + s of `requests`, that from slice s to SM m is s x SMs + m of `replies`; what leaves
/// by destination p of out-port 0 goes where path p ends. Requests and the credits for replies take the same path.
struct NetworkPair {
    LpId requests;
    LpId replies;
    Cycle delivery_latency = 1;  ///< from a network to where its messages go, network cycles
};

/// Throws ConfigurationError where so many SMs and slices need more paths than a process has in-ports.
/// `topology` begins the sentence: "a mesh".
void check_paths(std::string_view topology, unsigned sms, unsigned slices);

void connect_through(Model& model, const InterconnectEndpoints& ends, const NetworkPair& networks);

}  // namespace lookahead::gpu
