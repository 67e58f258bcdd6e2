#include "core/port/credit.h"

#include <doctest/doctest.h>

#include <array>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <vector>

#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/state/state_hasher.h"
#include "core/sync/simulation.h"
#include "core/time/clock_domain.h"
#include "core/transport/in_process/in_process_transport.h"

using namespace lookahead;

namespace {

struct Flit {
    static constexpr MessageType kType = 230;
    std::uint64_t sender;
};
struct Credits {
    static constexpr MessageType kType = 231;
    std::uint64_t flits;
};

constexpr unsigned kPorts = 4;
constexpr Cycle kCycles = 10'000;
constexpr Cycle kForward = 12;
constexpr Cycle kBack = 8;

const ClockDomain& crossbar_clock() {
    static const ClockDomain clock(1'400'000'000);
    return clock;
}

/// Wants to send one flit in every cycle, to the receivers in turn.
class Sender final : public LogicalProcess {
  public:
    Sender(unsigned index, std::uint32_t capacity) : index_(index), out_(add_out_port("flits")) {
        credits_.fill(CreditCounter(capacity));
    }
    void advance(Inbox inbox, Time horizon) override {
        std::size_t next = 0;
        for (; cycle_ < kCycles && crossbar_clock().edge(cycle_) < horizon; ++cycle_) {
            const Time now = crossbar_clock().edge(cycle_);
            take_credits(inbox, next, now);
            const auto to = static_cast<unsigned>(cycle_ + index_) % kPorts;
            if (credits_[to].can_send(1)) {
                credits_[to].spend(1);
                ++sent_;
                out_.send(to, now, crossbar_clock().edge(cycle_ + kForward), Flit{index_});
            }
        }
        take_credits(inbox, next, horizon);
    }
    Time next_event_time() const override { return cycle_ < kCycles ? crossbar_clock().edge(cycle_) : kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return "credits"; }
    void hash_state(StateHasher& hasher) const override { hasher.add(sent_); }
    std::uint64_t progress() const override { return sent_; }
    void save(boost::archive::binary_oarchive& archive) const override { archive << cycle_ << sent_; }
    void load(boost::archive::binary_iarchive& archive) override { archive >> cycle_ >> sent_; }

  private:
    void take_credits(Inbox inbox, std::size_t& next, Time now) {
        for (; next < inbox.size() && inbox[next]->time <= now; ++next) {
            credits_[inbox[next]->in_port].refund(static_cast<std::uint32_t>(inbox[next]->as<Credits>().flits));
        }
    }

    unsigned index_;
    OutPort& out_;
    std::array<CreditCounter, kPorts> credits_{CreditCounter(0), CreditCounter(0), CreditCounter(0), CreditCounter(0)};
    Cycle cycle_ = 0;
    std::uint64_t sent_ = 0;
};

/// Takes each flit out of its buffer in the cycle in which it arrives.
class Receiver final : public LogicalProcess {
  public:
    explicit Receiver(std::uint32_t batch) : out_(add_out_port("credits")) { returns_.fill(CreditReturn(batch)); }
    void advance(Inbox inbox, Time) override {
        for (const MessageHeader* message : inbox) {
            const auto sender = static_cast<unsigned>(message->as<Flit>().sender);
            ++received_;
            if (const std::uint32_t credits = returns_[sender].release(1); credits > 0) {
                const Cycle cycle = crossbar_clock().cycle_at_or_after(message->time);
                out_.send(sender, message->time, crossbar_clock().edge(cycle + kBack), Credits{credits});
            }
        }
    }
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return "flits"; }
    void hash_state(StateHasher& hasher) const override { hasher.add(received_); }
    void save(boost::archive::binary_oarchive& archive) const override { archive << received_; }
    void load(boost::archive::binary_iarchive& archive) override { archive >> received_; }

  private:
    OutPort& out_;
    std::array<CreditReturn, kPorts> returns_;
    std::uint64_t received_ = 0;
};

/// The flits that four senders get to four receivers in 10 000 cycles.
std::uint64_t flits_sent(std::uint32_t capacity, std::uint32_t batch) {
    Model model;
    for (unsigned i = 0; i < kPorts; ++i) {
        model.add({"sender" + std::to_string(i), "sender"}, [=] { return std::make_unique<Sender>(i, capacity); });
    }
    for (unsigned i = 0; i < kPorts; ++i) {
        model.add({"receiver" + std::to_string(i), "receiver"}, [=] { return std::make_unique<Receiver>(batch); });
    }
    for (LpId sender = 0; sender < kPorts; ++sender) {
        for (LpId receiver = 0; receiver < kPorts; ++receiver) {
            model.connect(sender, 0, kPorts + receiver, 0, crossbar_clock().least_span(kForward));
            model.connect(kPorts + receiver, 0, sender, static_cast<std::uint16_t>(receiver),
                          crossbar_clock().least_span(kBack));
        }
    }
    InProcessTransport transport;
    Simulation simulation(model, std::vector<int>(2 * kPorts, 0), transport, {});
    const SimulationResult result = simulation.run();
    REQUIRE_MESSAGE(result.outcome == Outcome::finished, result.message);
    return result.progress;
}

}  // namespace

TEST_CASE("with capacity for the round trip every port carries one flit a cycle for 10 000 cycles, with one less not") {
    // Each sender has a share of a receiver's buffer, into which it sends in every fourth cycle.
    const std::uint32_t capacity = credit_capacity(0, 1, kPorts, kForward + kBack);
    CHECK(capacity == (kForward + kBack) / kPorts);
    CHECK(flits_sent(capacity, 1) == kPorts * kCycles);
    CHECK(flits_sent(capacity - 1, 1) < kPorts * kCycles);
}

TEST_CASE("credits that return in batches need places for those that wait for their batch") {
    const std::uint32_t capacity = credit_capacity(0, 1, kPorts, kForward + kBack, 4);
    CHECK(flits_sent(capacity, 4) == kPorts * kCycles);
    CHECK(flits_sent(capacity - 1, 4) < kPorts * kCycles);
}

TEST_CASE("the entries of the machine come on top of what is under way") {
    CHECK(credit_capacity(8, 1, 1, 20) == 28);
    CHECK(credit_capacity(8, 1, 3, 20) == 8 + 7);
    CHECK(credit_capacity(8, 1, 1, 20, 4) == 31);
}

TEST_CASE("a sender can neither overdraw its credits nor get more back than it spent") {
    CreditCounter credits(3);
    CHECK(credits.can_send(3));
    CHECK_FALSE(credits.can_send(4));
    credits.spend(2);
    CHECK(credits.available() == 1);
    CHECK_FALSE(credits.all_returned());
    CHECK_THROWS_AS(credits.spend(2), InternalError);
    CHECK_THROWS_AS(credits.refund(3), InternalError);
    credits.refund(2);
    CHECK(credits.all_returned());
}

TEST_CASE("a receiver holds credits back until a batch is full") {
    CreditReturn returns(3);
    CHECK(returns.release(1) == 0);
    CHECK(returns.release(1) == 0);
    CHECK(returns.release(2) == 4);
    CHECK(returns.release(1) == 0);
    CHECK(returns.flush() == 1);
    CHECK(returns.held() == 0);
}
