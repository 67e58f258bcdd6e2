#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/message/message.h"
#include "core/time/time.h"

/// Checks the contract of LPs on one LP alone. A script of messages, and optionally an environment that answers the
/// LP's messages, replace its surroundings.
///
///     LpContract contract;
///     contract.make = [] { return std::make_unique<MyProcess>(...); };
///     contract.ports = {{.fan_out = 4, .lookahead = 1000}};
///     contract.script = [](std::uint64_t seed) { ... };
///     contract.end = 1'000'000;
///     CHECK(check_contract(contract, 1, 1000, 50) == "");
namespace lookahead::test {

/// A message to the LP under test. Messages are ordered by (time, channel), and equal ones by their place in the
/// script.
struct ScriptedMessage {
    Time time = 0;
    std::uint32_t channel = 0;  ///< chosen by the test
    std::uint16_t in_port = 0;
    MessageType type = 0;
    std::vector<std::byte> payload;
};

template <class P>
ScriptedMessage scripted(Time time, std::uint32_t channel, std::uint16_t in_port, const P& payload) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&payload);
    return {time, channel, in_port, P::kType, {bytes, bytes + sizeof payload}};
}

/// The other end of the ports of an LP that needs answers to proceed. Each run makes a new one. It receives messages in
/// the order of sending.
class LpEnvironment {
  public:
    virtual ~LpEnvironment() = default;
    /// Appends answers, each later than `sent.time`, the arrival of the LP's message. `destination` is the index at the
    /// out-port.
    virtual void respond(unsigned out_port, unsigned destination, const MessageHeader& sent,
                         std::vector<ScriptedMessage>& answers) = 0;
};

struct PortOfContract {
    unsigned fan_out = 1;
    Time lookahead = 1;
    std::uint16_t in_port = 0;  ///< the receivers'
};

struct LpContract {
    Model::Factory make;
    std::vector<PortOfContract> ports;  ///< the LP's out-ports, in their order
    std::function<std::vector<ScriptedMessage>(std::uint64_t seed)> script;
    std::function<std::unique_ptr<LpEnvironment>(std::uint64_t seed)> environment;  ///< optional
    Time end = 0;                                                                   ///< of the run
    Time usual_chop = 0;  ///< typical distance of random horizons; 0: a hundredth of the run
};

/// Runs the LP with the longest possible steps, and with random ones. Returns a sentence on the first difference in its
/// messages or its hash, including one at a horizon in the middle, or "" if there is none.
std::string check_chopping(const LpContract&, std::uint64_t seed);

/// The same comparison, replacing the LP at random horizons by a new one that loaded the saved state.
std::string check_save_and_load(const LpContract&, std::uint64_t seed);

/// Runs check_chopping with `chops` seeds from first_seed on, and check_save_and_load with `reloads`. Returns the first
/// difference, or "".
std::string check_contract(const LpContract&, std::uint64_t first_seed, std::uint64_t chops, std::uint64_t reloads);

/// The number of messages that the LP sends in the run with the longest steps. A contract in which the LP does nothing
/// proves nothing, so a test should check this number.
std::size_t count_outputs(const LpContract&, std::uint64_t seed);

}  // namespace lookahead::test
