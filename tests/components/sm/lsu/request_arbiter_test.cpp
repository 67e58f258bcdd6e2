// Which request of an SM enters the memory network.
#include <doctest/doctest.h>

#include "components/sm/lsu/request_arbiter.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::request_arbiter_tests {
namespace {

struct ArbiterBench final : LoadStoreListener {
    void line_came(std::uint32_t, Cycle) override {}
    void memory_completed(std::uint16_t, const isa::Instruction&, Cycle) override {}

    void read(std::uint64_t line) {
        const ReadRequest request{.line = line, .tag = 0, .client = Client::demand};
        std::memcpy(l1.push(line, GpuMessage::read_request, sizeof request), &request, sizeof request);
    }

    Configuration configuration;
    ScriptedMemory memory{1};
    ScriptedPort port{memory, 0};
    MissQueue l1{2};
    RegisterFile registers{8};
    AllocationMap allocations;
    TextureUnit texture{configuration.read<TextureParameters>("texture"), "sm0", registers, *this, allocations};
    TimingWheel completions{64};
    AccessOrder order{kContexts, false, completions, 0};
    MissSamples samples;
    RequestArbiter arbiter{configuration, port, l1, texture, order, samples};
};

TEST_CASE("lines for the instruction and constant caches leave before L1's requests") {
    using Freed = RequestArbiter::Freed;
    ArbiterBench each;
    each.read(kBase);
    each.arbiter.request_line(kBase + kLineBytes, kAllSectors, 3, 1);
    CHECK(each.arbiter.send(1, false) == Freed::line_request);
    CHECK(each.arbiter.send(2, false) == Freed::l1_request);
    CHECK(each.arbiter.send(3, false) == Freed::nothing);
    CHECK(each.arbiter.traffic().reads == 2);
    CHECK_FALSE(each.arbiter.drained());  // the line has not come
}

TEST_CASE("a request waits until the network takes it") {
    ArbiterBench each;
    each.read(kBase);
    each.port.opens_at = 5;
    CHECK(each.arbiter.next_event(1, false) == 5);
    CHECK(each.arbiter.send(4, false) == RequestArbiter::Freed::nothing);
    CHECK(each.arbiter.send(5, false) == RequestArbiter::Freed::l1_request);
}

}  // namespace
}  // namespace lookahead::gpu::test::request_arbiter_tests
