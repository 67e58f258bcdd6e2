#include "tests/contract/lp/lp_contract.h"

#include <doctest/doctest.h>

#include <random>

#include "core/phold/phold_process.h"
#include "core/state/state_hasher.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

struct Payload {
    static constexpr MessageType kType = 201;  // PHOLD's events of 32 bytes
    std::uint64_t words[4];
};

std::vector<ScriptedMessage> random_script(std::uint64_t seed, Time end) {
    std::mt19937_64 random(seed);
    std::vector<ScriptedMessage> script;
    for (int i = 0; i < 60; ++i) {
        // A coarse grid of times makes ties with inner events and among messages.
        const Time time = static_cast<Time>(random() % 200) * (end / 200);
        script.push_back(scripted(time, static_cast<std::uint32_t>(random() % 3), 0, Payload{{random(), 0, 0, 0}}));
    }
    return script;
}

LpContract phold_contract(const std::string& queue) {
    PholdOptions options;
    options.lps = 8;
    options.remote = 0.5;
    options.queue = queue;
    LpContract contract;
    contract.make = [options] { return make_phold_process(options, 0); };
    contract.ports = {{.fan_out = 8, .lookahead = kPholdUnit}};
    contract.end = 20 * kPholdUnit;
    contract.script = [end = contract.end](std::uint64_t seed) { return random_script(seed, end); };
    return contract;
}

/// Returns what PHOLD's LP sends, half a unit after it arrives.
class Echo final : public LpEnvironment {
  public:
    void respond(unsigned, unsigned destination, const MessageHeader& sent,
                 std::vector<ScriptedMessage>& answers) override {
        answers.push_back({sent.time + kPholdUnit / 2,
                           destination,
                           0,
                           sent.type,
                           {sent.payload(), sent.payload() + sent.payload_bytes()}});
    }
};

enum class Flaw { none, counts_calls, forgets_on_save, sends_at_horizon };

/// Answers each message after 100 fs; each flaw violates the contract in one way.
class Flawed final : public LogicalProcess {
  public:
    explicit Flawed(Flaw flaw) : flaw_(flaw), out_(add_out_port("answers")) {}
    void advance(Inbox inbox, Time horizon) override {
        calls_ += flaw_ == Flaw::counts_calls;
        for (const MessageHeader* message : inbox) {
            ++handled_;
            const Time now = flaw_ == Flaw::sends_at_horizon ? horizon - 1 : message->time;
            out_.send(0, now, now + 100, Payload{{handled_, 0, 0, 0}});
        }
    }
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return "nothing"; }
    void fields(StateArchive& archive) override {
        if (flaw_ != Flaw::forgets_on_save) { archive& handled_; }
        archive& calls_;
    }

  private:
    Flaw flaw_;
    OutPort& out_;
    std::uint64_t handled_ = 0;
    std::uint64_t calls_ = 0;
};

LpContract flawed_contract(Flaw flaw) {
    LpContract contract;
    contract.make = [flaw] { return std::make_unique<Flawed>(flaw); };
    contract.ports = {{.fan_out = 1, .lookahead = 100}};
    contract.end = 100'000;
    contract.script = [](std::uint64_t seed) { return random_script(seed, 100'000); };
    return contract;
}

}  // namespace

TEST_CASE("PHOLD's process does not notice how its time is chopped, and goes on after save and load") {
    for (const char* queue : {"wheel", "heap"}) {
        CAPTURE(queue);
        const LpContract contract = phold_contract(queue);
        CHECK(count_outputs(contract, 0) > 50);
        CHECK(check_contract(contract, 0, 1000, 1000) == "");
    }
}

TEST_CASE("the harness lets an environment answer") {
    LpContract contract = phold_contract("wheel");
    const std::size_t without = count_outputs(contract, 1);
    contract.environment = [](std::uint64_t) { return std::make_unique<Echo>(); };
    CHECK(count_outputs(contract, 1) > without);
    CHECK(check_contract(contract, 0, 50, 50) == "");
}

TEST_CASE("the harness passes a process that keeps the contract") {
    CHECK(check_chopping(flawed_contract(Flaw::none), 1) == "");
    CHECK(check_save_and_load(flawed_contract(Flaw::none), 1) == "");
}

TEST_CASE("the harness catches a process whose state counts the calls of advance") {
    CHECK(check_chopping(flawed_contract(Flaw::counts_calls), 1) != "");
}

TEST_CASE("the harness catches a process that sends at its horizon") {
    CHECK(check_chopping(flawed_contract(Flaw::sends_at_horizon), 1) != "");
}

TEST_CASE("the harness catches a process that does not save all its state") {
    CHECK(check_save_and_load(flawed_contract(Flaw::forgets_on_save), 1) != "");
}

TEST_CASE("check_contract finds what either check does, and no more") {
    CHECK(check_contract(flawed_contract(Flaw::none), 1, 2, 2) == "");
    CHECK(check_contract(flawed_contract(Flaw::counts_calls), 1, 2, 0) ==
          check_chopping(flawed_contract(Flaw::counts_calls), 1));
    CHECK(check_contract(flawed_contract(Flaw::forgets_on_save), 1, 2, 2) ==
          check_save_and_load(flawed_contract(Flaw::forgets_on_save), 1));
    CHECK(check_contract(flawed_contract(Flaw::forgets_on_save), 1, 2, 0) == "");
}
