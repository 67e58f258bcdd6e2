// Tests the memory partition against the contract of logical processes, alone with scripted requests, host copies, and
// an environment that returns credits.
#include <doctest/doctest.h>

#include <random>

#include "components/protocols/host_memory.h"
#include "tests/components/memory_partition/partition_bench.h"
#include "tests/contract/lp/lp_contract.h"

namespace lookahead::gpu {
namespace {

using lookahead::test::LpContract;
using lookahead::test::LpEnvironment;
using lookahead::test::ScriptedMessage;
using test::payload_of;

const ClockDomain kClock(700'000'000);

MemoryPartitionArguments arguments_of(bool small, bool sectors) {
    MemoryPartitionArguments arguments;
    if (small) {
        arguments.l2.sets = 2;
        arguments.l2.ways = 2;
        arguments.l2.mshrs = 4;
        arguments.l2.merges = 2;
        arguments.l2.miss_queue = 2;
        arguments.l2.input_latency = 6;
        arguments.l2.input_queue = 2;
        arguments.l2.far_latency = 11;
        arguments.l2.port_bytes = 32;
        arguments.dram.queue_entries = 64;
        arguments.dram.refresh_interval = 900;
        arguments.crossbar.reply_latency = 9;
        arguments.crossbar.input_entries = 20;
    }
    if (sectors) {  // with pseudo-channels and HBM's timing rules
        arguments.l2.sector_bytes = 32;
        arguments.dram.pseudo_channels = 2;
        arguments.dram.rrdl = 8;
        arguments.dram.faw = 30;
        arguments.dram.refresh_interval = 2000;
    }
    return arguments;
}

/// Takes every reply and returns its credits after a while.
class Requesters final : public LpEnvironment {
  public:
    void respond(unsigned out_port, unsigned destination, const MessageHeader& sent,
                 std::vector<ScriptedMessage>& answers) override {
        if (out_port >= 2 || sent.type == Credit::kType) { return; }
        const unsigned flits = flits_(packet_bytes(sent));
        const Time later = sent.time + 1 + static_cast<Time>(sent.sequence % 7) * 50'000'000;
        answers.push_back(lookahead::test::scripted(later, 100 + out_port * 15 + destination,
                                                    partition_in_port(out_port, destination),
                                                    Credit{.flits = flits, .unused = 0}));
    }

  private:
    FlitCounter flits_{CrossbarParameters{}.flit_bytes};
};

/// At most as many requests as a path has credits; times are on and between the clock's edges.
std::vector<ScriptedMessage> script(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const AddressMapping mapping{AddressMappingParameters{}};
    const auto anything = [&random](std::uint64_t below) { return random() % below; };
    std::vector<ScriptedMessage> messages;
    for (std::uint32_t i = 0; i < 400; ++i) {
        const std::uint64_t local = anything(40) * kLineBytes;
        const std::uint64_t line = mapping.address(0, local);
        const unsigned slice = mapping.slice_in_channel(local);
        const auto requester = static_cast<unsigned>(anything(15));
        ScriptedMessage message{.time = static_cast<Time>(anything(4'000'000'000)),
                                .channel = slice * 15 + requester,
                                .in_port = partition_in_port(slice, requester),
                                .type = ReadRequest::kType,
                                .payload = {}};
        if (anything(3) == 0) { message.time = kClock.edge(kClock.cycle_at_or_after(message.time)); }
        const std::uint64_t kind = anything(10);
        if (kind < 5) {
            const auto sectors = static_cast<SectorMask>(1 + anything(kAllSectors));
            message.payload =
                payload_of(ReadRequest{.line = line, .tag = i, .client = Client::demand, .sectors = sectors});
        } else if (kind < 8) {
            ByteMask mask;
            mask.set(static_cast<unsigned>(anything(31)) * 4 + 1, 6);
            const std::uint64_t words = random();
            message.type = WriteRequest::kType;
            message.payload = payload_of(WriteRequest{.line = line, .mask = mask, .tag = i, .words = 2},
                                         std::as_bytes(std::span(&words, 1)));
        } else if (kind < 9) {
            const AtomicLane lane{.operand = i,
                                  .operand2 = 0,
                                  .lane = 3,
                                  .offset = static_cast<std::uint8_t>(anything(32) * 4),
                                  .unused = {}};
            message.type = AtomicRequest::kType;
            message.payload = payload_of(AtomicRequest{.line = line,
                                                       .tag = i,
                                                       .op = isa::AtomicOp::add,
                                                       .type = isa::Type::u32,
                                                       .returns_value = static_cast<std::uint8_t>(anything(2)),
                                                       .lanes = 1},
                                         std::as_bytes(std::span(&lane, 1)));
        } else {
            const std::uint64_t value = random();
            message.channel = 99;
            message.in_port = kPartitionHostPort;
            message.type = anything(2) == 0 ? HostRead::kType : HostWrite::kType;
            message.payload =
                message.type == HostRead::kType
                    ? payload_of(HostRead{.address = line, .bytes = 128, .unused = 0})
                    : payload_of(HostWrite{.address = line, .bytes = 8, .fill_l2 = i % 2 != 0, .asks = 1, .unused = {}},
                                 std::as_bytes(std::span(&value, 1)));
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

LpContract contract_of(bool small, bool sectors, const std::string& scheduler) {
    MemoryPartitionArguments arguments = arguments_of(small, sectors);
    arguments.dram_scheduler = scheduler;
    LpContract contract;
    contract.make = [arguments] { return std::make_unique<MemoryPartition>(arguments, Configuration{}); };
    const Time reply = kClock.least_span(arguments.crossbar.reply_latency);
    contract.ports = {{.fan_out = 15, .lookahead = reply, .in_port = 0},
                      {.fan_out = 15, .lookahead = reply, .in_port = 1},
                      {.fan_out = 1, .lookahead = kClock.least_span(arguments.l2.host_latency), .in_port = 0}};
    contract.script = script;
    contract.environment = [](std::uint64_t) { return std::make_unique<Requesters>(); };
    contract.end = small ? 12'000'000'000 : 6'000'000'000;
    contract.usual_chop = 5'000'000;
    return contract;
}

TEST_CASE("a memory partition does not see how its time is cut, and can be saved and loaded at any horizon") {
    for (const auto& [small, sectors, scheduler] :
         {std::tuple{false, false, "frfcfs"}, {true, false, "fcfs"}, {true, false, "frfcfs"}, {true, true, "frfcfs"}}) {
        CAPTURE(small);
        CAPTURE(sectors);
        CAPTURE(scheduler);
        const LpContract contract = contract_of(small, sectors, scheduler);
        CHECK(count_outputs(contract, 1) > 400);  // every request is answered, and some credits come back
        CHECK(check_contract(contract, 1, 60, 6) == "");
    }
}

}  // namespace
}  // namespace lookahead::gpu
