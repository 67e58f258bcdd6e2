#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/message/message.h"
#include "core/time/time.h"

namespace lookahead {

class LogicalProcess;

struct LpDescription {
    std::string name;
    std::string kind;
    double work = 1;  ///< relative cost of simulating it, for partitioners
};

/// The channels from an out-port to the LPs `to` .. `to` + `count` - 1, which have equal properties.
struct ChannelDescription {
    LpId from;
    std::uint32_t out_port;
    LpId to;
    std::uint32_t count;
    std::uint16_t in_port;
    Time lookahead;
    double traffic;  ///< relative number of messages to each destination, for partitioners
};

/// An in-port of an LP whose messages are answered through one of its out-ports and start nothing else.
struct AnswerDescription {
    LpId lp;
    std::uint16_t in_port;
    std::uint32_t out_port;
};

/// The graph of LPs and channels. Every rank builds the same graph; LP objects are made only on their own rank.
class Model {
  public:
    using Factory = std::function<std::unique_ptr<LogicalProcess>()>;

    LpId add(LpDescription description, Factory factory);

    /// Appends a destination to an out-port. The lookahead must be positive.
    void connect(LpId from, unsigned out_port, LpId to, std::uint16_t in_port, Time lookahead, double traffic = 1);

    /// Makes first_lp .. first_lp + count - 1 the destinations of an out-port without other destinations. Costs memory
    /// for one channel only. The LPs may be added later.
    void connect_all(LpId from, unsigned out_port, LpId first_lp, std::uint32_t count, std::uint16_t in_port,
                     Time lookahead, double traffic = 1);

    /// Promises that a message to this in-port makes the LP send only through this out-port, while it handles the
    /// message, and starts no inner event. Windows then need not be as short as the LP's other channels. An LP can have
    /// one such in-port. The engine traps a message that breaks the promise if its time is in a window that the
    /// receiver may have passed.
    void answer_only(LpId lp, std::uint16_t in_port, unsigned out_port);

    std::span<const LpDescription> processes() const { return processes_; }
    std::span<const ChannelDescription> channels() const { return channels_; }
    std::span<const AnswerDescription> answers() const { return answers_; }
    std::unique_ptr<LogicalProcess> make(LpId) const;

    /// The global number of each LP's out-port 0; one entry more than there are LPs. InternalError if a
    /// channel leads to an LP that does not exist, or if a uniform fan-out shares its port.
    std::vector<std::uint32_t> first_channel_numbers() const;

  private:
    std::vector<LpDescription> processes_;
    std::vector<Factory> factories_;
    std::vector<ChannelDescription> channels_;
    std::vector<AnswerDescription> answers_;
};

}  // namespace lookahead
