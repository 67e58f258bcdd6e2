#pragma once

#include <string>
#include <string_view>

#include "components/interconnect/topology.h"

namespace lookahead::gpu {

/// Two logical processes, each a NetworkProcess, carry all messages between SMs and slices: one requests and the
/// credits for replies, the other replies and the credits for requests. Each path has its own in-port: m x slices + s
/// of the first process from SM m to slice s, and s x SMs + m of the second from slice s to SM m. Destination p of
/// out-port 0 leads to the end of path p.
class NetworkPairTopology : public InterconnectTopology {
  public:
    static constexpr std::string_view kReads[] = {"crossbar"};  ///< for the ports at the ends
    /// ConfigurationError if SMs and slices need more paths than a process has in-ports.
    void connect(Model& model, const InterconnectEndpoints& ends) const final;

  protected:
    struct Kind {
        std::string what;        ///< begins a sentence: "a mesh"
        std::string name;        ///< of the processes and of their kind
        double work;             ///< relative cost of each process, for partitioners without measured weights
        Cycle delivery_latency;  ///< from a network to the receivers of its messages, network cycles
    };
    explicit NetworkPairTopology(Kind kind) : kind_(std::move(kind)) {}

    enum class Carries { requests, replies };
    virtual Model::Factory network(const InterconnectEndpoints& ends, unsigned sms, unsigned slices,
                                   Carries carries) const = 0;

  private:
    void connect_requests(Model& model, const InterconnectEndpoints& ends, LpId network) const;
    void connect_replies(Model& model, const InterconnectEndpoints& ends, LpId network) const;

    Kind kind_;
};

}  // namespace lookahead::gpu
