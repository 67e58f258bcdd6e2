#include "components/device/cta_dispatcher.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "components/protocols/ports.h"
#include "components/protocols/send_launch.h"
#include "tests/contract/lp/lp_contract.h"

namespace lookahead::gpu {
namespace {

using lookahead::test::LpContract;
using lookahead::test::LpEnvironment;
using lookahead::test::scripted;
using lookahead::test::ScriptedMessage;

constexpr std::int64_t kFrequency = 700'000'000;
constexpr unsigned kSms = 3;

/// A kernel with eight CTAs of one warp within OccupancyLimits' defaults.
const isa::KernelTable& kernels() {
    static const isa::KernelTable table = [] {
        isa::Kernel kernel;
        kernel.name = "k";
        kernel.registers = 8;
        return isa::KernelTable{kernel};
    }();
    return table;
}

/// The messages that the SMs saw in a run.
struct Log {
    std::map<std::uint32_t, std::set<std::uint64_t>> ctas;  ///< by launch
    std::map<std::uint32_t, std::uint64_t> assignments;
    std::int64_t most_at_one_sm = 0;
    std::vector<Cycle> given;  ///< cycle in which each CTA reached its SM
    std::vector<KernelCompleted> completed;
};

/// SMs that run each CTA for a random time, and a host that only listens.
class Sms : public LpEnvironment {
  public:
    Sms(std::uint64_t seed, Log& log) : random_(seed), log_(log) {}

    void respond(unsigned out_port, unsigned destination, const MessageHeader& sent,
                 std::vector<ScriptedMessage>& answers) override {
        if (out_port == kDispatcherToHost) {
            log_.completed.push_back(sent.as<KernelCompleted>());
            return;
        }
        const Time answer = sent.time + 1 + static_cast<Time>(random_() % 3'000'000'000);
        const auto in_port = static_cast<std::uint16_t>(kDispatcherSmPort + destination);
        switch (static_cast<GpuMessage>(sent.type)) {
            case GpuMessage::kernel_begin:
                launch_ = sent.as<KernelBegin>().launch;
                break;
            case GpuMessage::cta_assign: {
                const std::uint64_t cta = sent.as<CtaAssign>().cta;
                retire(sent.time);
                log_.given.push_back(ClockDomain(kFrequency).cycle_at_or_after(sent.time));
                log_.ctas[launch_].insert(cta);
                ++log_.assignments[launch_];
                log_.most_at_one_sm = std::max(log_.most_at_one_sm, ++resident_[destination]);
                leaves_.push_back({answer, destination});
                answers.push_back(scripted(answer, destination, in_port, CtaCompleted{cta}));
                break;
            }
            case GpuMessage::kernel_end:
                answers.push_back(scripted(answer, destination, in_port, SmDrained{launch_, 10, 320}));
                break;
            default:
                FAIL("the dispatcher sent a message of type " << unsigned{sent.type});
        }
    }

  private:
    void retire(Time now) {
        std::erase_if(leaves_, [&](const auto& leave) {
            const bool left = leave.first < now;
            resident_[leave.second] -= left;
            return left;
        });
    }

    std::mt19937_64 random_;
    Log& log_;
    std::uint32_t launch_ = 0;
    std::int64_t resident_[kSms] = {};
    std::vector<std::pair<Time, unsigned>> leaves_;
};

ScriptedMessage launch(Time time, std::uint32_t number, std::uint32_t ctas) {
    LaunchKernel message{};
    message.launch = number;
    message.grid = {ctas, 1, 1};
    message.block = {32, 1, 1};
    return scripted(time, 1000, kDispatcherHostPort, message);
}

LpContract contract(Log& log, std::int64_t preassigned, std::int64_t interval = 0, Cycle launch_latency = 0) {
    const ClockDomain clock(kFrequency);
    const DispatcherParameters parameters{64, preassigned, interval, launch_latency};
    const Time latency = clock.least_span(parameters.latency);
    LpContract contract;
    contract.make = [=] {
        return std::make_unique<CtaDispatcher>(parameters, clock, kernels(), OccupancyLimits{}, kSms);
    };
    contract.ports = {{.fan_out = kSms, .lookahead = latency}, {.fan_out = 1, .lookahead = latency}};
    contract.script = [](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::vector<ScriptedMessage> script;
        Time time = 0;
        for (std::uint32_t i = 0; i < 3; ++i) {
            time += static_cast<Time>(random() % 40'000'000'000);
            script.push_back(launch(time, i, static_cast<std::uint32_t>(1 + random() % 60)));
        }
        return script;
    };
    contract.environment = [&log](std::uint64_t seed) { return std::make_unique<Sms>(seed, log); };
    contract.end = 400'000'000'000;
    return contract;
}

TEST_CASE("parameters that one message does not hold reach every SM whole") {
    constexpr std::size_t kBytes = 32'764;
    std::vector<std::byte> sent(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) { sent[i] = static_cast<std::byte>(i * 7 + i / 256); }

    std::vector<std::byte> received[kSms];
    class Receiver : public LpEnvironment {
      public:
        explicit Receiver(std::vector<std::byte> (&all)[kSms]) : received_(all) {}
        void respond(unsigned out_port, unsigned destination, const MessageHeader& message,
                     std::vector<ScriptedMessage>&) override {
            if (out_port == kDispatcherToHost) { return; }
            if (message.type == LaunchParameters::kType) { arriving_[destination].add(message); }
            if (message.type == KernelBegin::kType) {
                received_[destination] = arriving_[destination].take<KernelBegin>(message);
            }
        }

      private:
        std::vector<std::byte> (&received_)[kSms];
        ArrivingParameters arriving_[kSms];
    };

    const auto message = [&](const auto& head, std::size_t first, std::size_t bytes) {
        ScriptedMessage result = scripted(5, 1000, kDispatcherHostPort, head);
        result.payload.insert(result.payload.end(), &sent[first], &sent[first] + bytes);
        return result;
    };
    Log log;
    LpContract one = contract(log, 1);
    one.script = [&](std::uint64_t) {
        std::vector<ScriptedMessage> script;
        std::size_t first = 0;
        for (; kBytes - first > kParameterBytesInMessage; first += kParameterBytesInMessage) {
            script.push_back(message(LaunchParameters{kParameterBytesInMessage}, first, kParameterBytesInMessage));
        }
        LaunchKernel head{};
        head.grid = {1, 1, 1};
        head.block = {32, 1, 1};
        head.parameter_bytes = kBytes;
        script.push_back(message(head, first, kBytes - first));
        return script;
    };
    one.environment = [&](std::uint64_t) { return std::make_unique<Receiver>(received); };
    CHECK(count_outputs(one, 3) > kSms * (kBytes / kParameterBytesInMessage));
    for (const auto& bytes : received) { CHECK((bytes == sent)); }
}

TEST_CASE("every CTA of a launch is assigned once, kernels run in order, and the host hears of each end") {
    Log log;
    LpContract one = contract(log, 1);
    one.script = [](std::uint64_t) { return std::vector{launch(5, 0, 50), launch(6, 1, 7), launch(7, 2, 1)}; };
    CHECK(count_outputs(one, 3) > 0);
    REQUIRE(log.completed.size() == 3);
    const std::uint64_t sizes[] = {50, 7, 1};
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(log.completed[i].launch == i);
        CHECK(log.ctas[i].size() == sizes[i]);
        CHECK(log.assignments[i] == sizes[i]);
        CHECK(*log.ctas[i].rbegin() == sizes[i] - 1);
        CHECK(log.completed[i].warp_instructions == 10 * kSms);
        CHECK(log.completed[i].begin < log.completed[i].end);
        if (i > 0) { CHECK(log.completed[i].begin >= log.completed[i - 1].end); }
    }
}

TEST_CASE("an SM never has more CTAs than its occupancy and those that may wait") {
    const std::int64_t occupancy = 8;
    for (const std::int64_t preassigned : {0, 1, 3}) {
        CAPTURE(preassigned);
        Log log;
        LpContract one = contract(log, preassigned);
        one.script = [](std::uint64_t) { return std::vector{launch(5, 0, 400)}; };
        count_outputs(one, 11);
        CHECK(log.most_at_one_sm == occupancy + preassigned);
    }
}

TEST_CASE(
    "CTAs are given out an interval apart, at a kernel's begin without a gap; with none each SM gets one a cycle") {
    for (const std::int64_t interval : {0, 1, 3}) {
        CAPTURE(interval);
        Log log;
        LpContract one = contract(log, 1, interval);
        one.script = [](std::uint64_t) { return std::vector{launch(5, 0, 400)}; };
        count_outputs(one, 11);
        REQUIRE(log.given.size() == 400);
        // Occupancy is 8.
        for (std::size_t i = 1; i < kSms * 9; ++i) {
            const Cycle apart = interval == 0 ? static_cast<Cycle>(i % kSms == 0) : interval;
            CHECK(log.given[i] - log.given[i - 1] == apart);
        }
        for (std::size_t i = kSms * 9; i < log.given.size(); ++i) {
            CHECK(log.given[i] - log.given[i - 1] >= interval);
        }
    }
}

TEST_CASE("launch_latency puts off a kernel's first CTAs, and no later ones") {
    std::vector<Cycle> given[2];
    for (const Cycle latency : {0, 700}) {
        Log log;
        LpContract one = contract(log, 0, 1, latency);
        one.script = [](std::uint64_t) { return std::vector{launch(5, 0, kSms * 8 + 1)}; };
        count_outputs(one, 11);
        given[latency != 0] = log.given;
    }
    for (std::size_t i = 0; i < kSms * 8; ++i) { CHECK(given[1][i] == given[0][i] + 700); }
    // The SMs run each CTA for as long as before, so the place of the last one is free later by as much, not by twice.
    CHECK(given[1].back() == given[0].back() + 700);
}

TEST_CASE("the dispatcher is indifferent to how its time is cut, and to being saved and loaded") {
    Log log;
    for (const std::int64_t interval : {0, 40}) {
        const LpContract both = contract(log, 1, interval);
        CHECK(count_outputs(both, 1) > 20);
        CHECK(check_contract(both, 1, 1000, 50) == "");
    }
}

}  // namespace
}  // namespace lookahead::gpu
