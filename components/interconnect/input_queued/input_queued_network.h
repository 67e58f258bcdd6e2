#pragma once

#include <vector>

#include "components/interconnect/crossbar/packet_ring.h"
#include "components/interconnect/network_process.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct InputQueuedCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets delivered.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits delivered.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle",
                      "Cycles that packets waited for the packets before them and for their outputs.");
    LOOKAHEAD_COUNTER(credit_messages, "message", "Credits between SMs and slices, which take no room.");
    LOOKAHEAD_ALL_DECLARED;
};

/// A crossbar with one queue at each input, for requests or for replies, as a logical process, because its arbiters see
/// all inputs at once.
///
/// Inputs and outputs move one flit per cycle. Only the first packet of an input requests its output, so a packet whose
/// output is taken delays the packets behind it, whose outputs may be free: with random destinations such a crossbar
/// moves at most about 59 % of its flits (Karol, Hluchyj and Morgan, Input Versus Output Queueing on a Space-Division
/// Packet Switch, IEEE Trans. Communications 1987). Each output takes the inputs in turn, like iSLIP with one iteration
/// (McKeown, IEEE/ACM Trans. Networking 1999).
///
/// As in the crossbar, a message represents its tail flit and passes without delay if no packet is in its way. The
/// credits between SMs and slices (InjectionPort) reserve room for every packet at its destination, and bound the
/// queues.
class InputQueuedNetwork final : public NetworkProcess {
  public:
    /// `credits`: flits that can be under way on each path. `allocation`: InputQueuedParameters::allocation_cycles.
    InputQueuedNetwork(const Ends& ends, unsigned credits, Cycle allocation = 0);

    void visit_statistics(StatisticsVisitor& visitor) const override {
        visit(visitor, name(), "input_queued", counters_);
    }
    void fields(StateArchive& archive) override;

    const InputQueuedCounters& counters() const { return counters_; }

  private:
    static constexpr unsigned kNone = ~0u;

    struct Input {
        Input(std::size_t bytes, std::size_t largest) : queue(bytes, largest) {}
        PacketRing queue;  ///< a stored head's `time` is the cycle in which its tail came
        Cycle last_flit = -1;
        unsigned output = 0;  ///< of the first packet
        unsigned flits = 0;   ///< of the first packet
    };
    struct Output {
        Cycle last_flit = -1;
        unsigned turn = 0;        ///< input that it considers first
        unsigned chosen = kNone;  ///< input that it takes in this cycle
    };

    std::size_t packets() const override;
    void receive(const MessageHeader& message, Cycle now) override;
    void cycle(Cycle now) override;
    void count_credit() override { ++counters_.credit_messages; }
    void look_at_front(Input& input) const;
    void choose(Cycle now);
    void pass(unsigned input, Cycle now);
    Cycle next_pass(Cycle now) const;
    /// The first cycle in which the first packet can go if no other takes its output.
    Cycle earliest(const Input& input) const;
    /// The number of inputs that the output considers before this one.
    unsigned rank(unsigned input, unsigned output) const {
        const unsigned turn = outputs_[output].turn;
        return input >= turn ? input - turn : input + ends_.sources - turn;
    }

    Cycle allocation_;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    InputQueuedCounters counters_;
};

}  // namespace lookahead::gpu
